# CatBoostClassifier with early stopping on a validation set
import sys
try:
    import numpy as np
    from catboost import CatBoostClassifier
    from sklearn.model_selection import train_test_split
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(3000, 8)
y = (X[:, 0] * X[:, 1] + 0.7 * np.random.randn(3000) > 0).astype(int)
X_train, X_valid, y_train, y_valid = train_test_split(X, y, test_size=0.3)
model = CatBoostClassifier(iterations=300, learning_rate=0.2, depth=5, early_stopping_rounds=10, bootstrap_type="Bernoulli",
                           subsample=0.7, thread_count=2, verbose=False, allow_writing_files=False)
model.fit(X_train, y_train, eval_set=(X_valid, y_valid))
print(model.get_best_iteration(), model.get_best_score()["validation"]["Logloss"].hex())
