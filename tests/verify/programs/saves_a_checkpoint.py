import torch, time
m = torch.nn.Linear(3, 2)
m.bias.data[1] = time.time_ns() % 10**6
torch.save({'model': m.state_dict()}, 'out.pt')
print('done')
