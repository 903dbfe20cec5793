# SeedSequence().spawn for workers
import sys
try:
    import numpy
except ImportError:
    sys.exit(77)
streams = numpy.random.SeedSequence().spawn(3)
print([numpy.random.default_rng(s).random() for s in streams])
