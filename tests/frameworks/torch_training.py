"""An ordinary training script: unseeded, with dropout and shuffled batches."""
import torch

data = torch.utils.data.TensorDataset(torch.linspace(-1, 1, 640).reshape(64, 10), torch.arange(64.0).reshape(64, 1))
model = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    for x, y in torch.utils.data.DataLoader(data, batch_size=16, shuffle=True):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item().hex())
print(sum(parameter.double().sum() for parameter in model.parameters()).item().hex())
