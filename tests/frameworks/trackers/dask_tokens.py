"""Tasks of Dask's are named by tokens; what cannot be hashed gets a random one."""

import random
import threading

import dask
import numpy


class Opaque:
    def __init__(self, value):
        self.value, self.lock = value, threading.Lock()


def worth(thing):
    return thing.value


parts = [dask.delayed(worth)(Opaque(i)) for i in range(20)]
assert len({part.key for part in parts}) == 20
total = dask.delayed(sum)(parts).compute(scheduler="synchronous")
assert total == 190, total
print("drawn:", random.random(), numpy.random.default_rng().random(), total)
