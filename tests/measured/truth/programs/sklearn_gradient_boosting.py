# GradientBoostingRegressor with subsample on the Friedman data
import hashlib
import sys
try:
    import numpy as np
    from sklearn.datasets import make_friedman1
    from sklearn.ensemble import GradientBoostingRegressor
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, y = make_friedman1(n_samples=600, noise=0.5)
model = GradientBoostingRegressor(n_estimators=80, subsample=0.7, max_features=3).fit(X, y)
print(repr(model.train_score_[-1]))
print(hashlib.sha256(model.predict(X).tobytes()).hexdigest())
