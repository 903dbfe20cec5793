# default_rng() without a seed
import sys
try:
    import numpy
except ImportError:
    sys.exit(77)
print(numpy.random.default_rng().normal(size=3))
