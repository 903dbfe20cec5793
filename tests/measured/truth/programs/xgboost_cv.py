# xgboost.cv over shuffled folds
import sys
try:
    import numpy as np
    import pandas
    import xgboost as xgb
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(2500, 8)
y = (X[:, 0] + X[:, 1] ** 2 + 0.5 * np.random.randn(2500) > 1).astype(int)
table = xgb.cv({"objective": "binary:logistic", "eval_metric": "logloss", "nthread": 2, "max_depth": 4, "subsample": 0.8},
               xgb.DMatrix(X, y), num_boost_round=25, nfold=4, shuffle=True)
print([repr(x) for x in table.iloc[-1].tolist()])
