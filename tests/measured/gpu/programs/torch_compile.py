# A compiled training step, unseeded.
import torch
model = torch.nn.Sequential(torch.nn.Linear(128, 512), torch.nn.GELU(), torch.nn.LayerNorm(512), torch.nn.Dropout(0.1),
                            torch.nn.Linear(512, 16)).cuda()
step = torch.compile(model)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(10):
    loss = step(torch.randn(256, 128, device="cuda")).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item().hex())
