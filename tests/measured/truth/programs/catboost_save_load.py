# predictions of a model that was saved and loaded
import hashlib
import os
import sys
import tempfile
try:
    import numpy as np
    from catboost import CatBoostRegressor
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.rand(2000, 7)
y = np.exp(X[:, 0]) + X[:, 1] * X[:, 2]
model = CatBoostRegressor(iterations=60, rsm=0.6, bagging_temperature=1.0, thread_count=2, verbose=False, allow_writing_files=False)
model.fit(X, y)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.cbm")
    model.save_model(path)
    loaded = CatBoostRegressor().load_model(path)
print(hashlib.sha256(loaded.predict(X).tobytes()).hexdigest())
