# joblib over threads, results in order of the tasks
import sys
try:
    import joblib
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
data = np.random.randn(40, 120, 120)

def largest(i):
    return float(np.linalg.svd(data[i], compute_uv=False)[0])
values = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(largest)(i) for i in range(len(data)))
print([x.hex() for x in values])
