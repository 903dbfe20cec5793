# differential_evolution without a seed
import sys
try:
    import scipy.optimize
except ImportError:
    sys.exit(77)
print(scipy.optimize.differential_evolution(lambda x: ((x - 0.3) ** 2).sum() + abs(x[0]), [(-1, 1)] * 3, maxiter=5).x)
