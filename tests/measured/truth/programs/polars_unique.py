# unique rows without maintain_order
import sys
try:
    import polars as pl
except ImportError as missing:
    print(missing)
    sys.exit(77)
frame = pl.DataFrame({"word": ["w%d" % (i * i % 997) for i in range(20000)], "n": [i % 3 for i in range(20000)]})
print(frame.unique().head(10).rows())
