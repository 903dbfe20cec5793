"""What NumPy and libm answer, as bits: run on emulated processors by portable_test.cpp."""

import hashlib
import math
import sys

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


def say_torch():
    import torch
    from torch.nn import functional

    values = torch.from_numpy(square)
    half = values.float()
    say("torch matmul", (values @ values).numpy())
    say("torch float", (half @ half).numpy())
    say("torch exp", torch.exp(half).numpy())
    say("torch softmax", half.softmax(1).numpy())
    filters = half.reshape(-1)[: 8 * 4 * 9].reshape(8, 4, 3, 3)
    say("torch conv", functional.conv2d(half.reshape(1, 4, 32, 32), filters).numpy())
    say("torch lu", torch.linalg.lu_factor(values)[0].numpy())
    say("torch gelu", functional.gelu(half).numpy())
    say("torch norm", functional.layer_norm(half, [64]).numpy())


if "torch" in sys.argv:  # takes half a minute to be imported on an emulated processor
    say_torch()
