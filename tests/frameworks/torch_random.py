"""PyTorch's CPU generator, unseeded, and what draws from it."""
import torch

print("initial_seed", torch.initial_seed())
print("rand", torch.rand(3), torch.randperm(8))
print("dropout", torch.nn.functional.dropout(torch.ones(12)))
print("layer", torch.nn.Linear(3, 2).weight)
print("seed", torch.seed())
print("reseeded", torch.rand(2))
generator = torch.Generator()
print("generator", generator.seed(), torch.rand(2, generator=generator))
