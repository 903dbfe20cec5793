# five classes, softmax
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
    from sklearn.datasets import make_blobs
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, y = make_blobs(n_samples=4000, centers=5, n_features=6, cluster_std=4.0)
booster = lgb.train({"objective": "multiclass", "num_class": 5, "num_threads": 2, "verbose": -1}, lgb.Dataset(X, y), 25)
probabilities = booster.predict(X)
print(repr(float((probabilities.argmax(axis=1) == y).mean())))
print(hashlib.sha256(probabilities.tobytes()).hexdigest())
