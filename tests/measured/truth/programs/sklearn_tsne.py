# TSNE of the digits from a random start
import hashlib
import sys
try:
    import numpy as np
    from sklearn.datasets import load_digits
    from sklearn.manifold import TSNE
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, _ = load_digits(return_X_y=True)
embedding = TSNE(n_components=2, init="random", perplexity=20, max_iter=300, n_jobs=2).fit_transform(X[:250])
print([x.hex() for x in embedding[0].tolist()])
print(hashlib.sha256(embedding.tobytes()).hexdigest())
