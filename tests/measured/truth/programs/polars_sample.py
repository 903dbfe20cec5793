# DataFrame.sample and shuffle
import sys
try:
    import polars
except ImportError:
    sys.exit(77)
print(polars.DataFrame({"a": range(100)}).sample(5)["a"].to_list())
