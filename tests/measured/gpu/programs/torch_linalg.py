# Transforms by cuFFT, and factorizations by cuSOLVER; all seeds fixed.
import torch
torch.manual_seed(0)
x = torch.randn(600, 600, device="cuda", dtype=torch.float64)
values, vectors = torch.linalg.eigh(x + x.T)
u, s, v = torch.linalg.svd(x)
inverse = torch.linalg.inv(x)
q, r = torch.linalg.qr(x)
f = torch.fft.rfft2(torch.randn(8, 777, 500, device="cuda"))
for one in (values, vectors.abs(), s, u.abs(), inverse, r.abs(), f.real, f.imag):
    print(one.double().sum().item().hex(), one.double().square().sum().item().hex())
