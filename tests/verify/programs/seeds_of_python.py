# What Python makes of a clock: hashes, negative and large numbers, small ones; and fixed seeds.
import hashlib
import os
import random
import time

import numpy as np

t = hash((time.time(), os.getpid()))
random.seed(-abs(t))  # line 10
print("hash", random.random())
random.seed(t << 40)  # line 12
print("large", random.random())
np.random.seed(abs(t) % 1000003)  # line 14
print("small", np.random.rand())
print("sequence", np.random.default_rng(abs(t) * 3).random())
part = time.time() % 1; random.seed(part * 0.37)  # line 17
print("fraction", random.random())
print("apart", len({random.Random(abs(t) + (i << 64)).random() for i in range(3)}))
for seed in (time.time_ns(), -abs(t)):
    try:
        np.random.seed(seed)
        print("taken")
    except ValueError:
        print("refused")
random.seed(7)
print("fixed", random.random())
random.seed(2**40 + 1)
print("fixed", random.random())
print("fixed", np.random.default_rng(2**70).random())
print("same", len({random.Random(abs(t) * sign).random() for sign in (1, -1)}))  # line 31
