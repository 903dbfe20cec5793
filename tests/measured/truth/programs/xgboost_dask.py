# xgboost.dask on a LocalCluster of one worker with two threads
import hashlib
import sys
try:
    import dask.array
    import numpy as np
    from dask.distributed import Client, LocalCluster
    from xgboost import dask as dxgb
except ImportError as missing:
    print(missing)
    sys.exit(77)

def quiet():
    sys.stdout = sys.stderr  # the worker prints its address and port
if __name__ == "__main__":
    i = np.arange(8000 * 6, dtype=float)
    X = np.sin(i * 0.91 + np.sqrt(i)).reshape(-1, 6)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster, Client(cluster) as client:
        client.run(quiet)
        blocks = dask.array.from_array(X, chunks=(2000, 6))
        data = dxgb.DaskDMatrix(client, blocks, dask.array.from_array(y, chunks=2000))
        result = dxgb.train(client, {"tree_method": "hist", "subsample": 0.8}, data, num_boost_round=20)
        prediction = dxgb.inplace_predict(client, result["booster"], blocks).compute()
    print(hashlib.sha256(np.asarray(prediction).tobytes()).hexdigest())
