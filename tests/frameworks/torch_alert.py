"""One operator that has no deterministic implementation."""
import torch

try:
    print(torch.zeros(4).put_(torch.tensor([1, 2]), torch.tensor([1.0, 2.0])).tolist())
except RuntimeError as error:
    print("raised:", str(error).split(" ")[0])
