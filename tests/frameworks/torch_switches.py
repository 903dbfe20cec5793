"""PyTorch's switches of determinism: what they answer, what becomes of a program that turns them, and operators that
have no deterministic implementation."""
import torch


def answers():
    return (torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.deterministic,
            torch.backends.cudnn.benchmark)


index, values = torch.tensor([1, 1]), torch.tensor([1.0, 2.0])
print("at first", *answers())
torch.zeros(4).put_(index, values)
torch.use_deterministic_algorithms(False)
torch.backends.cudnn.benchmark = True
torch.backends.cudnn.deterministic = False
print("switched", *answers())
for _ in range(3):
    torch.zeros(4).put_(index, values)
torch.nn.ReplicationPad2d(1)(torch.ones(1, 1, 3, 3))  # deterministic on the CPU
torch.use_deterministic_algorithms(True)
try:
    torch.zeros(4).put_(index, values)
    print("did not raise")
except RuntimeError as error:
    print("raised", "put_" in str(error))
