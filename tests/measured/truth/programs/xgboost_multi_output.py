# three targets in one tree (multi_output_tree)
import hashlib
import sys
try:
    import numpy as np
    import xgboost as xgb
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.rand(3000, 8)
Y = np.stack([X[:, 0] + X[:, 1], np.sin(5 * X[:, 2]), X[:, 3] * X[:, 4]], axis=1)
model = xgb.XGBRegressor(n_estimators=40, multi_strategy="multi_output_tree", tree_method="hist", n_jobs=2).fit(X, Y)
print(hashlib.sha256(model.predict(X).tobytes()).hexdigest())
