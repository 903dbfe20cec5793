# joblib over tasks that draw from NumPy
import sys
try:
    import joblib
    import numpy
except ImportError:
    sys.exit(77)

def task(i):
    return float(numpy.random.rand(1000 + 500 * (i % 3)).sum())
if __name__ == "__main__":
    print(joblib.Parallel(n_jobs=2, batch_size=1)(joblib.delayed(task)(i) for i in range(40)))
