# BaggingClassifier of decision trees with n_jobs=2
import hashlib
import sys
try:
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import BaggingClassifier
    from sklearn.tree import DecisionTreeClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, y = load_breast_cancer(return_X_y=True)
model = BaggingClassifier(DecisionTreeClassifier(max_depth=4), n_estimators=20, max_samples=0.6, n_jobs=2)
if __name__ == "__main__":
    model.fit(X, y)
    print(repr(model.score(X, y)))
    print(hashlib.sha256(model.predict_proba(X).tobytes()).hexdigest())
