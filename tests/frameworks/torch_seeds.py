"""Seeds that a program gives PyTorch's generator."""
import sys
import time

import torch

torch.manual_seed({"seconds": lambda: int(time.time()), "nanoseconds": time.time_ns, "fixed": lambda: 42}[sys.argv[1]]())
print(torch.rand(2).tolist())
