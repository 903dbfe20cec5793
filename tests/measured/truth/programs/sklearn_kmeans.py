# KMeans from random centres
import sys
try:
    import sklearn.cluster
    import numpy
except ImportError:
    sys.exit(77)
x = numpy.random.rand(500, 4)
print(sklearn.cluster.KMeans(5, n_init=2).fit(x).inertia_)
