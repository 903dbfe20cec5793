# early stopping on a validation set
import sys
try:
    import lightgbm as lgb
    import numpy as np
    from sklearn.model_selection import train_test_split
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(4000, 12)
y = X[:, 0] - 2 * X[:, 1] * X[:, 2] + np.random.randn(4000)
X_train, X_valid, y_train, y_valid = train_test_split(X, y, test_size=0.3)
train = lgb.Dataset(X_train, y_train)
valid = lgb.Dataset(X_valid, y_valid, reference=train)
booster = lgb.train({"objective": "regression", "metric": "l2", "learning_rate": 0.15, "num_threads": 2, "verbose": -1},
                    train, 300, valid_sets=[valid], callbacks=[lgb.early_stopping(10, verbose=False)])
print(booster.best_iteration, booster.best_score["valid_0"]["l2"].hex())
