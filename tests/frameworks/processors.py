"""What NumPy and libm answer, as bits: run on emulated processors by portable_test.cpp."""

import hashlib
import math

import numpy as np


def say(name, values):
    print(name, hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:16])


# No generator: its own draws would take what is looked at here.
steps = (np.arange(4096, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(1000003)).astype(np.float64)
x = steps / 1000003.0 * 8 - 4
square = x.reshape(64, 64)
single = x.astype(np.float32)
say("matmul", square @ square)
say("dot", x @ x)
say("sum", single.sum())
say("exp", np.exp(single))
say("sin", np.sin(x))
say("log", np.log(np.abs(x) + 1))
say("libm", [f(v) for v in x.tolist() for f in (math.exp, math.sin, math.tan, math.atan)])
try:
    import scipy.fft
    import scipy.linalg
except ImportError:
    pass
else:
    say("scipy", np.concatenate([scipy.linalg.lu_factor(square)[0].ravel(), scipy.fft.rfft(x).view(np.float64)]))
