# PCA with the randomized solver
import hashlib
import sys
try:
    import numpy as np
    from sklearn.decomposition import PCA
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(1500, 20) @ np.random.randn(20, 200) + 0.1 * np.random.randn(1500, 200)
model = PCA(n_components=10, svd_solver="randomized").fit(X)
print([x.hex() for x in model.explained_variance_ratio_.tolist()])
print(hashlib.sha256(model.transform(X).tobytes()).hexdigest())
