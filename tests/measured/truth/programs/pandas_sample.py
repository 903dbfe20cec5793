# DataFrame.sample
import sys
try:
    import pandas
except ImportError:
    sys.exit(77)
print(pandas.DataFrame({"a": range(100)}).sample(5).a.tolist())
