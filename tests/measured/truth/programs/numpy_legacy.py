# np.random without a seed
import sys
try:
    import numpy
except ImportError:
    sys.exit(77)
print(numpy.random.rand(3))
