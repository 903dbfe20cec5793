# a small network, trained from random weights
import sys
try:
    import torch
except ImportError:
    sys.exit(77)

model = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(256, 10), torch.randn(256, 1)
for _ in range(30):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print(repr(loss.item()))
