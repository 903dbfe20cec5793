# XGBClassifier with defaults on data of a fixed formula, two threads
import hashlib
import sys
try:
    import numpy as np
    import xgboost as xgb
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(20000 * 12, dtype=float)
X = np.sin(i * 0.37 + i ** 0.4).reshape(-1, 12)
y = (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > 0.3)
model = xgb.XGBClassifier(n_estimators=30, n_jobs=2).fit(X, y)
print(hashlib.sha256(model.predict_proba(X).tobytes()).hexdigest())
print([float(x).hex() for x in model.feature_importances_])
