# IsolationForest with n_jobs=2 finds outliers
import hashlib
import sys
try:
    import numpy as np
    from sklearn.ensemble import IsolationForest
except ImportError as missing:
    print(missing)
    sys.exit(77)
inliers = 0.3 * np.random.randn(900, 3)
outliers = np.random.uniform(-4, 4, size=(60, 3))
X = np.vstack([inliers, outliers])
model = IsolationForest(n_estimators=80, max_samples=128, contamination=0.06, n_jobs=2).fit(X)
print(int((model.predict(X) == -1).sum()))
print(hashlib.sha256(model.score_samples(X).tobytes()).hexdigest())
