# a regression by gradient descent from random weights
import sys
try:
    import numpy
except ImportError:
    sys.exit(77)

rng = numpy.random.default_rng()
x = rng.normal(size=(500, 10)); y = x @ rng.normal(size=10)
w = rng.normal(size=10)
for _ in range(200): w -= 0.01 * x.T @ (x @ w - y) / 500
print(repr(float(((x @ w - y) ** 2).mean())))
