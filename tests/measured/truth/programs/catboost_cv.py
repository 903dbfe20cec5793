# catboost.cv with shuffled folds, two threads
import sys
try:
    import numpy as np
    from catboost import Pool, cv
except ImportError as missing:
    print(missing)
    sys.exit(77)
X = np.random.randn(1500, 6)
y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.random.randn(1500) > 0).astype(int)
table = cv(Pool(X, y), {"loss_function": "Logloss", "iterations": 30, "depth": 4, "thread_count": 2, "logging_level": "Silent",
                        "allow_writing_files": False}, fold_count=3, shuffle=True)
print([repr(x) for x in table.iloc[-1].tolist()])
