# A training step captured as a CUDA graph, unseeded.
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Dropout(0.5), torch.nn.Linear(64, 1)).cuda()
x = torch.randn(128, 64, device="cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
        optimizer.step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
for _ in range(10):
    graph.replay()
print(loss.item().hex())
