# joblib over processes with a seed by index
import sys
try:
    import joblib
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)

def bootstrap(seed, sample):
    rng = np.random.default_rng(seed)
    return float(rng.choice(sample, size=len(sample)).mean())
if __name__ == "__main__":
    sample = np.sqrt(np.arange(1000.0))
    means = joblib.Parallel(n_jobs=2)(joblib.delayed(bootstrap)(i, sample) for i in range(100))
    print([x.hex() for x in means[:5]], float(np.std(means)).hex())
