# put_, which has no deterministic implementation for duplicates
import sys
try:
    import torch
except ImportError:
    sys.exit(77)

x = torch.zeros(1000)
x.put_(torch.randint(0, 1000, (200000,)), torch.arange(200000.0))
print(x.sum().item())
