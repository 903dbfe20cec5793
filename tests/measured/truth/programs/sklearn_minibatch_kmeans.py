# MiniBatchKMeans on points from three normal distributions
import hashlib
import sys
try:
    import numpy as np
    from sklearn.cluster import MiniBatchKMeans
except ImportError as missing:
    print(missing)
    sys.exit(77)
points = np.concatenate([np.random.randn(4000, 4) + centre for centre in (0, 3, 7)])
model = MiniBatchKMeans(n_clusters=6, batch_size=256, n_init=3).fit(points)
print(repr(model.inertia_))
print(hashlib.sha256(model.cluster_centers_.tobytes()).hexdigest())
print(np.bincount(model.labels_).tolist())
