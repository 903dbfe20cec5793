# group_by sums of floats with maintain_order=True
import sys
try:
    import numpy as np
    import polars as pl
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(300000)
frame = pl.DataFrame({"key": i * 7919 % 101, "value": np.sin(i * 0.1) * 1e3})
result = frame.group_by("key", maintain_order=True).agg(pl.col("value").sum().alias("sum"), pl.col("value").mean().alias("mean"))
for key, total, mean in result.rows():
    print(key, total.hex(), mean.hex())
