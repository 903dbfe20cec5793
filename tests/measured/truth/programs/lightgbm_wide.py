# a wide table of 3,000 columns, two threads
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(600 * 3000, dtype=float)
X = np.sin(i * 1.618 + np.cbrt(i)).reshape(600, 3000)
y = X[:, ::100].sum(axis=1)
booster = lgb.train({"objective": "regression", "num_threads": 2, "verbose": -1, "min_data_in_leaf": 5}, lgb.Dataset(X, y), 15)
print(int((booster.feature_importance() > 0).sum()))
print(hashlib.sha256(booster.predict(X).tobytes()).hexdigest())
