# dart, which drops trees by chance
import hashlib
import sys
try:
    import numpy as np
    import xgboost as xgb
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.rand(2500, 10)
y = X.sum(axis=1) + np.sin(9 * X[:, 0])
parameters = {"booster": "dart", "rate_drop": 0.2, "skip_drop": 0.3, "nthread": 2, "max_depth": 4}
booster = xgb.train(parameters, xgb.DMatrix(X, y), 40)
print(hashlib.sha256(booster.predict(xgb.DMatrix(X)).tobytes()).hexdigest())
