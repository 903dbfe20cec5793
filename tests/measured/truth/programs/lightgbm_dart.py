# dart boosting, which drops trees by chance
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.rand(3000, 10)
y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
parameters = {"boosting": "dart", "objective": "regression", "drop_rate": 0.2, "num_threads": 2, "verbose": -1}
booster = lgb.train(parameters, lgb.Dataset(X, y), 50)
print(hashlib.sha256(booster.predict(X).tobytes()).hexdigest())
