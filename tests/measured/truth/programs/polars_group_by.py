# the order of group_by
import sys
try:
    import polars
except ImportError:
    sys.exit(77)
import random
frame = polars.DataFrame({"k": [str(i % 37) for i in range(1000)], "v": list(range(1000))})
print(frame.group_by("k").agg(polars.col("v").sum()).rows()[:5])
