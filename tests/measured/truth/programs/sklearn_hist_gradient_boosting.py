# HistGradientBoostingClassifier with early stopping
import hashlib
import sys
try:
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(12000, 10)
y = (X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * np.random.randn(12000) > 0).astype(int)
model = HistGradientBoostingClassifier(max_iter=60, early_stopping=True, validation_fraction=0.2)
model.fit(X, y)
print(model.n_iter_)
print([score.hex() for score in model.validation_score_.tolist()[-3:]])
print(hashlib.sha256(model.predict_proba(X).tobytes()).hexdigest())
