# A recurrent network of cuDNN with dropout, unseeded.
import torch
model = torch.nn.LSTM(32, 128, num_layers=3, dropout=0.2, bidirectional=True).cuda()
x = torch.randn(50, 16, 32, device="cuda")
for _ in range(3):
    model.zero_grad()
    model(x)[0].square().mean().backward()
print(*(p.grad.double().square().sum().item().hex() for p in list(model.parameters())[:4]))
