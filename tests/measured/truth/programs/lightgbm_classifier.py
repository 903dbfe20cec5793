# LGBMClassifier with row and column samples
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
    from sklearn.datasets import make_classification
    from sklearn.model_selection import train_test_split
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, y = make_classification(n_samples=3000, n_features=20, n_informative=8)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25)
model = lgb.LGBMClassifier(n_estimators=50, subsample=0.8, subsample_freq=1, colsample_bytree=0.7, n_jobs=2, verbose=-1)
model.fit(X_train, y_train)
print(repr(model.score(X_test, y_test)))
print(hashlib.sha256(model.predict_proba(X_test)[:, 1].tobytes()).hexdigest())
print(model.feature_importances_.tolist())
