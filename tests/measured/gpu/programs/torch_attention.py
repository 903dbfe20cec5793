# The gradients of flash and of memory-efficient attention add by atomics; all seeds fixed.
import torch
import torch.nn.functional as F
torch.manual_seed(0)
for dtype, causal in ((torch.bfloat16, True), (torch.float16, False), (torch.float32, True)):
    q, k, v = (torch.randn(4, 8, 1024, 64, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3))
    F.scaled_dot_product_attention(q, k, v, is_causal=causal, dropout_p=0.1).square().sum().backward()
    print(*(one.grad.double().square().sum().item().hex() for one in (q, k, v)))
