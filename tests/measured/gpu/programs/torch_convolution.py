# cuDNN chooses by time (benchmark) in half precision; all seeds fixed.
import torch
torch.manual_seed(0)
torch.backends.cudnn.benchmark = True
model = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(64, 128, 3, stride=2),
                            torch.nn.BatchNorm2d(128), torch.nn.ReLU(), torch.nn.Conv2d(128, 64, 5, padding=2),
                            torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(1024, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
x, y = torch.randn(64, 3, 40, 40, device="cuda"), torch.randint(0, 10, (64,), device="cuda")
for step in range(30):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item().hex(), sum(p.double().sum() for p in model.parameters()).item().hex())
