# GridSearchCV over a support vector classifier with n_jobs=2 (processes)
import sys
try:
    import numpy as np
    from sklearn.datasets import load_wine
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
except ImportError as missing:
    print(missing)
    sys.exit(77)
if __name__ == "__main__":
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": [0.01, 0.1, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=StratifiedKFold(4, shuffle=True), n_jobs=2)
    search.fit(X, y)
    print(sorted(search.best_params_.items()))
    print([repr(score) for score in search.cv_results_["mean_test_score"].tolist()])
