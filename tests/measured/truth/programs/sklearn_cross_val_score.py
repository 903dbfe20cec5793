# cross_val_score of a random forest with n_jobs=2
import sys
try:
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import KFold, cross_val_score
except ImportError as missing:
    print(missing)
    sys.exit(77)
if __name__ == "__main__":
    X, y = load_digits(return_X_y=True)
    model = RandomForestClassifier(n_estimators=20)
    scores = cross_val_score(model, X[:800], y[:800], cv=KFold(5, shuffle=True), n_jobs=2)
    print([repr(score) for score in scores.tolist()])
