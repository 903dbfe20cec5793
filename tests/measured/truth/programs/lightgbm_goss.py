# one-sided gradient sampling (goss) with two threads
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(30000 * 6, dtype=float)
X = np.cos(i * i * 1e-3).reshape(-1, 6)
y = (X[:, 0] + X[:, 1] ** 3 - X[:, 2] > 0).astype(int)
parameters = {"data_sample_strategy": "goss", "objective": "binary", "top_rate": 0.2, "other_rate": 0.1, "learning_rate": 0.3,
              "num_threads": 2, "verbose": -1}
booster = lgb.train(parameters, lgb.Dataset(X, y), 40)
print(hashlib.sha256(booster.predict(X, raw_score=True).tobytes()).hexdigest())
