# linear booster with the parallel shotgun updater, which races by design
import sys
try:
    import numpy as np
    import xgboost as xgb
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(10000 * 30, dtype=float)
X = np.sin(i * 1.7 + np.sqrt(i)).reshape(-1, 30)
y = X @ np.linspace(-3, 3, 30) + 0.01 * np.cos(np.arange(10000))
booster = xgb.train({"booster": "gblinear", "updater": "shotgun", "nthread": 2}, xgb.DMatrix(X, y), 15)
print([float(x).hex() for x in booster.predict(xgb.DMatrix(X[:8]))])
