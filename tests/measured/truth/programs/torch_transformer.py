# an encoder layer with attention and dropout
import sys
try:
    import torch
except ImportError:
    sys.exit(77)

layer = torch.nn.TransformerEncoderLayer(32, 4, batch_first=True)
x = torch.randn(4, 16, 32)
layer(x).square().mean().backward()
print(repr(layer.linear1.weight.grad.sum().item()))
