# RandomizedSearchCV draws its parameters, with n_jobs=2
import sys
try:
    import numpy as np
    from scipy.stats import loguniform
    from sklearn.datasets import load_diabetes
    from sklearn.model_selection import RandomizedSearchCV
    from sklearn.linear_model import ElasticNet
except ImportError as missing:
    print(missing)
    sys.exit(77)
if __name__ == "__main__":
    X, y = load_diabetes(return_X_y=True)
    space = {"alpha": loguniform(1e-4, 1e1), "l1_ratio": [0.1, 0.5, 0.9]}
    search = RandomizedSearchCV(ElasticNet(selection="random", max_iter=500), space, n_iter=12, cv=3, n_jobs=2)
    search.fit(X, y)
    print(sorted(search.best_params_.items()))
    print(repr(search.best_score_))
