# ExtraTreesClassifier with bootstrap, out-of-bag score and n_jobs=2
import hashlib
import sys
try:
    import numpy as np
    from sklearn.datasets import make_classification
    from sklearn.ensemble import ExtraTreesClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, y = make_classification(n_samples=600, n_features=12, n_informative=6, n_classes=3)
model = ExtraTreesClassifier(n_estimators=80, bootstrap=True, oob_score=True, n_jobs=2).fit(X, y)
print(repr(model.oob_score_))
print(hashlib.sha256(model.predict_proba(X).tobytes()).hexdigest())
