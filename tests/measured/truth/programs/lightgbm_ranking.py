# LGBMRanker on queries of ten documents
import hashlib
import sys
try:
    import lightgbm as lgb
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
queries, documents = 300, 10
X = np.random.randn(queries * documents, 7)
relevance = np.clip((X[:, 0] + 0.5 * X[:, 1] + 0.5 * np.random.randn(len(X))) + 1.5, 0, 3).astype(int)
ranker = lgb.LGBMRanker(n_estimators=40, n_jobs=2, verbose=-1)
ranker.fit(X, relevance, group=[documents] * queries, eval_set=[(X, relevance)], eval_group=[[documents] * queries], eval_at=[5])
print(ranker.best_score_)
print(hashlib.sha256(ranker.predict(X).tobytes()).hexdigest())
