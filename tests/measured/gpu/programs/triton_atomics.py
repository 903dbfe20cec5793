# A kernel of the program's own, in Triton, that adds by atomics; all seeds fixed.
import torch
try:
    import triton
    import triton.language as tl
except ImportError:
    raise SystemExit(77)
@triton.jit
def total(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + at, mask=at < n, other=0.0)))
torch.manual_seed(0)
x, out = torch.randn(1 << 22, device="cuda"), torch.zeros(1, device="cuda")
for _ in range(10):
    total[((1 << 22) // 1024,)](x, out, 1 << 22, B=1024)
print(out.item().hex())
