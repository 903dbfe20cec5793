# extra_trees and feature_fraction, seeds left as they are
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.rand(4000, 16)
y = X @ np.linspace(-1, 1, 16) + (X[:, 3] > 0.5)
parameters = {"extra_trees": True, "feature_fraction": 0.5, "feature_fraction_bynode": 0.8, "num_threads": 2, "verbose": -1}
booster = lgb.train(parameters, lgb.Dataset(X, y), 60)
print(booster.feature_importance("gain").tolist())
print(hashlib.sha256(booster.predict(X).tobytes()).hexdigest())
