# Workers that augment by NumPy and torch, unseeded; the model on the GPU.
import numpy as np
import torch
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 256
    def __getitem__(self, i):
        return torch.full((32,), float(i)) + torch.randn(32) + float(np.random.rand())
if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(Data(), batch_size=32, shuffle=True, num_workers=3, pin_memory=True)
    model = torch.nn.Linear(32, 4).cuda()
    total = sum(model(x.cuda(non_blocking=True)).square().mean() for _ in range(2) for x in loader)
    print(total.item().hex())
