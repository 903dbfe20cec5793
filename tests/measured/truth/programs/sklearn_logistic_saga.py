# LogisticRegression with the saga solver and n_jobs=2
import hashlib
import sys
import warnings
try:
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import StandardScaler
except ImportError as missing:
    print(missing)
    sys.exit(77)
warnings.filterwarnings("ignore")
if __name__ == "__main__":
    X, y = load_digits(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = OneVsRestClassifier(LogisticRegression(solver="saga", max_iter=15, tol=1e-3), n_jobs=2)
    model.fit(X, y)
    weights = np.vstack([one.coef_ for one in model.estimators_])
    print(repr(model.score(X, y)))
    print(hashlib.sha256(weights.tobytes()).hexdigest())
