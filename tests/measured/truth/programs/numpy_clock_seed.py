# np.random.seed(int(time.time()))
import sys
try:
    import numpy
except ImportError:
    sys.exit(77)
import time
numpy.random.seed(int(time.time() * 1000) % 2**32)
print(numpy.random.rand(3))
