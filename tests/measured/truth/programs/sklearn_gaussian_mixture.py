# GaussianMixture from random points
import sys
try:
    import numpy as np
    from sklearn.datasets import load_iris
    from sklearn.mixture import GaussianMixture
except ImportError as missing:
    print(missing)
    sys.exit(77)
X, _ = load_iris(return_X_y=True)
model = GaussianMixture(n_components=3, n_init=4, init_params="random_from_data").fit(X)
samples, _ = model.sample(5)
print(model.lower_bound_.hex())
print([x.hex() for x in model.means_.ravel().tolist()])
print([x.hex() for x in samples.ravel().tolist()])
