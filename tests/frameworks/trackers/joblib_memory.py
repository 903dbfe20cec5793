"""joblib's cache on disk, and its pool of processes."""

import random

import joblib
import numpy

memory = joblib.Memory("cache", verbose=0)


@memory.cache
def squares(n):
    return numpy.arange(n) ** 2


def double(x):
    return 2 * x


if __name__ == "__main__":
    total = int(squares(20).sum())
    doubled = joblib.Parallel(n_jobs=2)(joblib.delayed(double)(i) for i in range(20))
    assert total == 2470 and sum(doubled) == 380, (total, doubled)
    print("drawn:", random.random(), numpy.random.default_rng().random(), total)
