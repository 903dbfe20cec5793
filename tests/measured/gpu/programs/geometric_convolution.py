# Graph convolutions add their messages by atomics; all seeds fixed.
import torch
try:
    from torch_geometric.nn import GCNConv
except ImportError:
    raise SystemExit(77)
torch.manual_seed(0)
x, edges = torch.randn(2000, 64, device="cuda"), torch.randint(0, 2000, (2, 200000), device="cuda")
layer = GCNConv(64, 64).cuda()
for _ in range(4):
    x = layer(x, edges).relu()
print(x.double().sum().item().hex(), x.double().square().sum().item().hex())
