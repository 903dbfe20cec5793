# linear booster with coordinate descent in random order
import sys
try:
    import numpy as np
    import xgboost as xgb
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(5000, 20)
y = X @ np.linspace(-3, 3, 20) + np.random.randn(5000)
booster = xgb.train({"booster": "gblinear", "updater": "coord_descent", "feature_selector": "random", "nthread": 2},
                    xgb.DMatrix(X, y), 25)
print([float(x).hex() for x in booster.predict(xgb.DMatrix(X[:8]))])
