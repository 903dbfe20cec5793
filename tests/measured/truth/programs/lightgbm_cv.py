# lightgbm.cv with shuffled folds
import sys
try:
    import lightgbm as lgb
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.rand(2500, 8)
y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.2 * np.random.randn(2500) > 0.8).astype(int)
result = lgb.cv({"objective": "binary", "metric": "auc", "verbose": -1, "num_threads": 2}, lgb.Dataset(X, y),
                num_boost_round=30, nfold=4, stratified=True, shuffle=True)
for name in sorted(result):
    print(name, [value.hex() if isinstance(value, float) else float(value).hex() for value in result[name][-3:]])
