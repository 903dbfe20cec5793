# KMeans from random centres on many points (threads of OpenMP)
import sys
try:
    import numpy as np
    from sklearn.cluster import KMeans
except ImportError as missing:
    print(missing)
    sys.exit(77)
points = np.sin(np.arange(40000 * 6, dtype=float) ** 1.1).reshape(-1, 6)
model = KMeans(n_clusters=8, init="random", n_init=2, max_iter=30).fit(points)
print(model.inertia_.hex())
print([x.hex() for x in model.cluster_centers_[0].tolist()])
