# predictions of a model that was saved and loaded
import hashlib
import os
import sys
import tempfile
try:
    import lightgbm as lgb
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(2000, 9)
y = np.exp(X[:, 0]) + X[:, 1]
booster = lgb.train({"verbose": -1, "num_threads": 2, "bagging_fraction": 0.7, "bagging_freq": 2}, lgb.Dataset(X, y), 40)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.txt")
    booster.save_model(path)
    loaded = lgb.Booster(model_file=path)
    print(hashlib.sha256(open(path, "rb").read()).hexdigest())
print(hashlib.sha256(loaded.predict(X).tobytes()).hexdigest())
