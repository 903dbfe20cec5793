# SpectralClustering of two rings
import hashlib
import sys
try:
    import numpy as np
    from sklearn.cluster import SpectralClustering
    from sklearn.datasets import make_circles
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, _ = make_circles(n_samples=400, factor=0.4, noise=0.04)
labels = SpectralClustering(n_clusters=4, affinity="rbf", gamma=20.0, n_jobs=2).fit_predict(X)
print(np.bincount(labels).tolist())
print(hashlib.sha256(labels.tobytes()).hexdigest())
