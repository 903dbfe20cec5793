# everything seeded: AdaBoost with random_state and data of a fixed formula
import hashlib
import sys
try:
    import numpy as np
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier
except ImportError as missing:
    print(missing)
    sys.exit(77)
rng = np.random.default_rng(7)
X = rng.normal(size=(500, 6))
y = (X[:, 0] ** 2 + X[:, 1] > 0.5).astype(int)
model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=40, random_state=3).fit(X, y)
print(hashlib.sha256(model.decision_function(X).tobytes()).hexdigest())
