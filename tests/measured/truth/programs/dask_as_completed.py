# tasks of a LocalCluster in the order in which they complete
import sys
try:
    import numpy as np
    from dask.distributed import Client, LocalCluster, as_completed
except ImportError as missing:
    print(missing)
    sys.exit(77)

def spectrum(i):
    matrix = np.sin(np.arange((60 + i % 4) ** 2, dtype=float) * (i + 1)).reshape(60 + i % 4, -1)
    return i, float(np.linalg.norm(matrix, 2))
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        total = 0.0
        for future in as_completed(client.map(spectrum, range(24))):
            i, norm = future.result()
            total = total * 0.9 + norm
            print(i, end=" ")
    print(total.hex())
