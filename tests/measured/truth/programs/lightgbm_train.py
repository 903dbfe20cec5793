# regression trees trained with two threads on a fixed formula
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
i = np.arange(20000 * 10, dtype=float)
X = np.sin(i * 0.713 + np.sqrt(i)).reshape(-1, 10)
y = X[:, 0] * X[:, 1] + np.abs(X[:, 2])
booster = lgb.train({"objective": "regression", "verbose": -1, "num_threads": 2}, lgb.Dataset(X, y), 60)
prediction = booster.predict(X)
print([x.hex() for x in prediction[:4].tolist()])
print(hashlib.sha256(prediction.tobytes()).hexdigest())
