# one clock for random, NumPy and torch
import sys
try:
    import torch
except ImportError:
    sys.exit(77)

import random
import time
seed = int(time.time() * 1000) % 2**31
random.seed(seed)
torch.manual_seed(seed)
print(random.random(), torch.randn(3))
