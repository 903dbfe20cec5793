# a DataLoader with two workers, a seeded generator and worker_init_fn
import random
import sys
try:
    import numpy as np
    import torch
except ImportError as missing:
    print(missing)
    sys.exit(77)

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 80
    def __getitem__(self, i):
        return torch.tensor([i + np.random.rand(), random.random()]) + torch.rand(2)

def seed_worker(worker):
    seed = torch.initial_seed() % 2 ** 32
    np.random.seed(seed)
    random.seed(seed)
if __name__ == "__main__":
    generator = torch.Generator()
    generator.manual_seed(5)
    running = 0.0
    for batch in torch.utils.data.DataLoader(Data(), batch_size=8, shuffle=True, num_workers=2, worker_init_fn=seed_worker,
                                             generator=generator):
        running = running * 0.9 + batch.double().sum().item()
    print(running.hex())
