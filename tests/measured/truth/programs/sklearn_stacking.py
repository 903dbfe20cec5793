# StackingClassifier of three models with n_jobs=2
import hashlib
import sys
try:
    import numpy as np
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier, StackingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
if __name__ == "__main__":
    X, y = make_classification(n_samples=400, n_features=10)
    models = [("forest", RandomForestClassifier(15)), ("near", KNeighborsClassifier()), ("tree", DecisionTreeClassifier(max_features=3))]
    stack = StackingClassifier(models, final_estimator=LogisticRegression(), cv=3, n_jobs=2).fit(X, y)
    print(repr(stack.score(X, y)))
    print(hashlib.sha256(stack.predict_proba(X).tobytes()).hexdigest())
