# scatter_add_, index_add_, index_put_ and embedding's gradient add by atomics; all seeds fixed.
import torch
torch.manual_seed(0)
values, index = torch.randn(1 << 20, device="cuda"), torch.randint(0, 512, (1 << 20,), device="cuda")
a = torch.zeros(512, device="cuda").scatter_add_(0, index, values)
b = torch.zeros(512, device="cuda").index_add_(0, index, values)
c = torch.zeros(512, device="cuda").index_put_((index,), values, accumulate=True)
table = torch.nn.EmbeddingBag(512, 32, mode="sum").cuda()
table(index.view(-1, 16)).square().sum().backward()
for one in (a, b, c, table.weight.grad):
    print(one.double().sum().item().hex(), one.double().square().sum().item().hex())
