# default_rng(0), and a product of matrices
import sys
try:
    import numpy
except ImportError:
    sys.exit(77)
rng = numpy.random.default_rng(0)
a = rng.normal(size=(300, 300))
print(repr(float((a @ a).sum())))
