# Reads memory of the GPU that nobody wrote, after other programs' and its own use of it.
import torch
torch.manual_seed(0)
junk = [torch.rand(1 << 22, device="cuda") for _ in range(4)]
del junk
torch.cuda.empty_cache()
x = torch.empty(1 << 24, device="cuda")
print(torch.nan_to_num(x.double()).sum().item().hex())
