# SGDClassifier over several classes with n_jobs=2
import hashlib
import sys
try:
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.linear_model import SGDClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, y = load_digits(return_X_y=True)
model = SGDClassifier(loss="log_loss", max_iter=30, tol=1e-3, n_jobs=2).fit(X / 16.0, y)
print(repr(model.score(X / 16.0, y)))
print(hashlib.sha256(model.coef_.tobytes()).hexdigest())
