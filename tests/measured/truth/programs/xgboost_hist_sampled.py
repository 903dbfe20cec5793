# hist trees on samples of rows and columns
import hashlib
import sys
try:
    import numpy as np
    import xgboost as xgb
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.rand(6000, 15).astype(np.float32)
y = X[:, 0] * X[:, 1] + np.sin(6 * X[:, 2]) + 0.1 * np.random.randn(6000)
parameters = {"tree_method": "hist", "subsample": 0.7, "colsample_bytree": 0.6, "colsample_bynode": 0.8, "nthread": 2, "max_depth": 5}
booster = xgb.train(parameters, xgb.DMatrix(X, y), 60)
print(hashlib.sha256(booster.predict(xgb.DMatrix(X)).tobytes()).hexdigest())
