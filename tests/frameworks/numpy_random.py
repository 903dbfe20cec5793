"""NumPy's legacy state and its generators, unseeded."""
import numpy

print("legacy", numpy.random.rand(3), numpy.random.randint(10**9))
for _ in range(2):
    print("generator", numpy.random.default_rng().random(3))
numpy.random.seed()
print("reseeded", numpy.random.rand(2))
