# XGBRFClassifier: a random forest, two threads
import hashlib
import sys
try:
    import numpy as np
    import xgboost as xgb
    from sklearn.datasets import load_breast_cancer
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, y = load_breast_cancer(return_X_y=True)
order = np.random.permutation(len(X))
model = xgb.XGBRFClassifier(n_estimators=80, subsample=0.7, colsample_bynode=0.5, n_jobs=2)
model.fit(X[order[:400]], y[order[:400]])
print(repr(model.score(X[order[400:]], y[order[400:]])))
print(hashlib.sha256(model.predict_proba(X).tobytes()).hexdigest())
