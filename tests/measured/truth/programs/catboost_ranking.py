# CatBoostRanker with YetiRank, which samples permutations
import hashlib
import sys
try:
    import numpy as np
    from catboost import CatBoostRanker, Pool
except ImportError as missing:
    print(missing)
    sys.exit(77)
groups, documents = 150, 10
X = np.random.randn(groups * documents, 6)
relevance = np.clip(np.round(X[:, 0] + 1.5), 0, 3)
pool = Pool(X, relevance, group_id=np.repeat(np.arange(groups), documents))
model = CatBoostRanker(loss_function="YetiRank", iterations=30, depth=4, thread_count=2, verbose=False, allow_writing_files=False)
model.fit(pool)
print(hashlib.sha256(model.predict(pool).tobytes()).hexdigest())
