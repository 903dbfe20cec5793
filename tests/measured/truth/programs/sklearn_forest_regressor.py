# RandomForestRegressor with n_jobs=2
import hashlib
import sys
try:
    import numpy as np
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.model_selection import train_test_split
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.rand(800, 8)
y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * np.random.randn(800)
X_train, X_test, y_train, y_test = train_test_split(X, y)
model = RandomForestRegressor(n_estimators=60, max_features=0.5, n_jobs=2)
model.fit(X_train, y_train)
prediction = model.predict(X_test)
print(repr(model.score(X_test, y_test)))
print(hashlib.sha256(prediction.tobytes()).hexdigest())
print([x.hex() for x in model.feature_importances_.tolist()])
