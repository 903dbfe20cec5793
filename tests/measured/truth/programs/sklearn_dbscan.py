# DBSCAN with n_jobs=2 on two moons
import hashlib
import sys
try:
    import numpy as np
    from sklearn.cluster import DBSCAN
    from sklearn.datasets import make_moons
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, _ = make_moons(n_samples=3000, noise=0.06)
labels = DBSCAN(eps=0.07, min_samples=6, n_jobs=2).fit_predict(X)
print(labels.max() + 1, int((labels == -1).sum()))
print(hashlib.sha256(labels.tobytes()).hexdigest())
