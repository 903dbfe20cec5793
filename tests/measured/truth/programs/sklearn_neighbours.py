# KNeighborsClassifier with n_jobs=2 on data of a fixed formula
import hashlib
import sys
try:
    import numpy as np
    from sklearn.neighbors import KNeighborsClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(6000 * 8, dtype=float)
X = np.cos(i * 0.37 + np.sqrt(i)).reshape(-1, 8)
y = (X.sum(axis=1) > 0).astype(int) + (X[:, 0] > 0.5)
model = KNeighborsClassifier(n_neighbors=7, weights="distance", n_jobs=2).fit(X[:5000], y[:5000])
distances, neighbours = model.kneighbors(X[5000:])
print(repr(model.score(X[5000:], y[5000:])))
print(hashlib.sha256(distances.tobytes() + neighbours.tobytes()).hexdigest())
