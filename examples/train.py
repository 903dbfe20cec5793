"""A small NumPy training script like many: logistic regression on random data, a shard of it for each processor.

Nothing in here sets a seed, so every run ends with another loss. Nothing in here knows of detshim.
"""
import os

import numpy as np

random = np.random.default_rng()
shards = len(os.sched_getaffinity(0))

x = random.standard_normal((960, 8), dtype=np.float32)
y = (x.sum(axis=1) > 0).astype(np.float32)
weights = random.standard_normal(8, dtype=np.float32)

for step in range(5):
    score = (x * weights).sum(axis=1)
    right = 1 / (1 + np.exp(-score))
    loss = np.logaddexp(0, np.where(y > 0, -score, score)).mean()
    slope = (x * (right - y)[:, None]).astype(np.float32)
    weights -= np.float32(0.5) * sum(part.sum(axis=0) for part in np.array_split(slope, shards)) / len(x)
    print(f"step {step} loss={loss:.9f}")

np.savez("weights.npz", weights=weights)
