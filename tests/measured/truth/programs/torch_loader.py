# a DataLoader that shuffles, with two workers that augment
import sys
try:
    import torch
except ImportError:
    sys.exit(77)

import random
class Data(torch.utils.data.Dataset):
    def __len__(self): return 64
    def __getitem__(self, i): return torch.rand(4) * random.random() + i
if __name__ == "__main__":
    total = 0.0
    for batch in torch.utils.data.DataLoader(Data(), 8, shuffle=True, num_workers=2):
        total = total * 0.9 + batch.sum().item()
    print(repr(total))
