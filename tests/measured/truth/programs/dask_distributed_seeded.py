# tasks of a LocalCluster with a seed each, gathered in order
import sys
try:
    import numpy as np
    from dask.distributed import Client, LocalCluster
except ImportError as missing:
    print(missing)
    sys.exit(77)

def estimate(seed):
    rng = np.random.default_rng(seed)
    points = rng.random((20000, 2))
    return 4.0 * float(((points ** 2).sum(axis=1) < 1).mean())
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        futures = client.map(estimate, range(16))
        print([x.hex() for x in client.gather(futures)])
