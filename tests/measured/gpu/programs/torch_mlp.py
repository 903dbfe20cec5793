# Weights, dropout and data from torch's generators, unseeded.
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Dropout(0.3), torch.nn.Linear(256, 8)).cuda()
optimizer = torch.optim.Adam(model.parameters())
for step in range(20):
    x = torch.randn(512, 64, device="cuda")
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item().hex())
