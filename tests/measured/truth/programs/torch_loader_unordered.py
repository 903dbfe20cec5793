# a DataLoader with in_order=False and two workers
import sys
try:
    import torch
except ImportError as missing:
    print(missing)
    sys.exit(77)

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 96
    def __getitem__(self, i):
        x = torch.linspace(0, 1, 1000 + 4000 * (i // 8 % 3))
        for _ in range(5):
            x = torch.sin(x + i)
        return i, x[:8] * torch.rand(8)
if __name__ == "__main__":
    torch.set_num_threads(1)
    running, order = 0.0, []
    for indices, x in torch.utils.data.DataLoader(Data(), batch_size=8, num_workers=2, in_order=False):
        order.append(int(indices[0]))
        running = running * 0.9 + x.double().sum().item()
    print(order, running.hex())
