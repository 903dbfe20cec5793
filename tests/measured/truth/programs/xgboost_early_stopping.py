# early stopping on a validation set
import sys
try:
    import numpy as np
    import xgboost as xgb
    from sklearn.model_selection import train_test_split
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(4000, 10)
y = X[:, 0] * X[:, 1] + np.random.randn(4000)
X_train, X_valid, y_train, y_valid = train_test_split(X, y, test_size=0.3)
model = xgb.XGBRegressor(n_estimators=300, learning_rate=0.2, early_stopping_rounds=8, n_jobs=2)
model.fit(X_train, y_train, eval_set=[(X_valid, y_valid)], verbose=False)
print(model.best_iteration, repr(model.best_score))
print([float(x).hex() for x in model.predict(X_valid)[:4]])
