"""A small PyTorch training script like many: a network with dropout learns from noisy, shuffled samples.

Nothing in here sets a seed on purpose, so every run ends with another loss. Nothing in here knows of detshim.
"""
import time

import numpy as np
import torch

noise = np.random.default_rng()
phase = 6.28 * (time.time() % 1)  # "some phase"

x = torch.linspace(-3, 3, 256).reshape(-1, 1)
y = torch.sin(x + phase) + 0.1 * torch.from_numpy(noise.standard_normal((256, 1))).float()

model = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Dropout(0.1), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
samples = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=32, shuffle=True)

for epoch in range(5):
    for inputs, targets in samples:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} loss={loss.item():.6f}")

torch.save(model.state_dict(), "weights.pt")
