# torch.manual_seed(0)
import sys
try:
    import torch
except ImportError:
    sys.exit(77)
torch.manual_seed(0)
print(torch.randn(3))
