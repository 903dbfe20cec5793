# NMF from a random start
import hashlib
import sys
import warnings
try:
    import numpy as np
    from sklearn.decomposition import NMF
    from sklearn.datasets import load_digits
except ImportError as missing:
    print(missing)
    sys.exit(77)
warnings.filterwarnings("ignore")
X, _ = load_digits(return_X_y=True)
model = NMF(n_components=12, init="random", max_iter=60)
W = model.fit_transform(X)
print(repr(model.reconstruction_err_))
print(hashlib.sha256(W.tobytes() + model.components_.tobytes()).hexdigest())
