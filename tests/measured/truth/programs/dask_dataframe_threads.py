# dask dataframe groupby with the threads scheduler
import sys
try:
    import dask
    import dask.dataframe as dd
    import numpy as np
    import pandas as pd
except ImportError as missing:
    print(missing)
    sys.exit(77)
frame = pd.DataFrame({"key": np.random.randint(0, 12, 40000), "value": np.random.randn(40000)})
with dask.config.set(scheduler="threads", num_workers=2):
    table = dd.from_pandas(frame, npartitions=8)
    result = table.groupby("key")["value"].agg(["sum", "mean", "std"]).compute().sort_index()
for key, row in result.iterrows():
    print(key, [x.hex() for x in row.tolist()])
