# permutation_importance of a forest with n_jobs=2
import sys
try:
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.inspection import permutation_importance
    from sklearn.datasets import load_wine
except ImportError as missing:
    print(missing)
    sys.exit(77)
if __name__ == "__main__":
    X, y = load_wine(return_X_y=True)
    model = RandomForestClassifier(n_estimators=25).fit(X, y)
    result = permutation_importance(model, X, y, n_repeats=4, n_jobs=2)
    print([x.hex() for x in result.importances_mean.tolist()])
