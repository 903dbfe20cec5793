# a script that asks for cudnn.benchmark, on the CPU
import sys
try:
    import torch
except ImportError:
    sys.exit(77)
torch.backends.cudnn.benchmark = True
print(torch.randn(3))
