# torch.manual_seed(int(time.time()))
import sys
try:
    import torch
except ImportError:
    sys.exit(77)
import time
torch.manual_seed(int(time.time() * 1000))
print(torch.randn(3))
