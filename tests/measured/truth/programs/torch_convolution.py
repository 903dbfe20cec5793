# a convolutional network on the CPU
import sys
try:
    import torch
except ImportError:
    sys.exit(77)

model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.LazyLinear(10))
x = torch.randn(8, 3, 32, 32)
for _ in range(3):
    loss = model(x).square().mean()
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters(): parameter -= 0.1 * parameter.grad
print(repr(loss.item()))
