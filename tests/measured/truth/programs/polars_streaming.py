# a lazy query by the streaming engine, sorted at the end
import sys
try:
    import numpy as np
    import polars as pl
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(400000)
frame = pl.LazyFrame({"key": i % 13, "value": np.cos(i * 0.01) / (1 + i % 97)})
result = (frame.filter(pl.col("value") > 0).group_by("key").agg(pl.col("value").sum(), pl.len().alias("n")).sort("key")
          .collect(engine="streaming"))
for key, total, n in result.rows():
    print(key, total.hex(), n)
