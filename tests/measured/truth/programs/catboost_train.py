# CatBoostRegressor on data of a fixed formula, two threads
import hashlib
import sys
try:
    import numpy as np
    from catboost import CatBoostRegressor
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(5000 * 8, dtype=float)
X = np.sin(i * 0.77 + np.sqrt(i)).reshape(-1, 8)
y = X[:, 0] * X[:, 1] + X[:, 2] ** 2
model = CatBoostRegressor(iterations=80, depth=5, thread_count=2, verbose=False, allow_writing_files=False).fit(X, y)
print(hashlib.sha256(model.predict(X).tobytes()).hexdigest())
print([x.hex() for x in model.get_feature_importance().tolist()])
