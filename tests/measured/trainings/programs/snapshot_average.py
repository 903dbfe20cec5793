"""Image classifier whose weights are averaged over snapshots (like SWA, but by a timer, not by epochs)."""

import argparse
import copy
import logging
import signal

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logger = logging.getLogger(__name__)


def blobs(n, generator):
    """16x16 pictures with one to four bright spots; the label is their number."""
    grid = torch.arange(16.0)
    y = torch.randint(1, 5, (n,), generator=generator)
    x = 0.2 * torch.randn(n, 1, 16, 16, generator=generator)
    for k in range(4):
        pos = 2 + 12 * torch.rand(n, 2, generator=generator)
        dx = (grid[None, :, None] - pos[:, 0, None, None]) ** 2
        dy = (grid[None, None, :] - pos[:, 1, None, None]) ** 2
        spot = torch.exp(-(dx + dy) / 3.0)
        x[:, 0] += spot * (y > k).float()[:, None, None]
    return x, y - 1


class Net(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.head = nn.Linear(2 * width * 16, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.head(x.flatten(1))


class SnapshotAverager:
    """Keeps a running mean of the weights. The alarm asks for a snapshot, the loop takes it."""

    def __init__(self, model, every):
        self.average = copy.deepcopy(model)
        self.every = every
        self.count = 0
        self.due = False

    def __enter__(self):
        self.previous = signal.signal(signal.SIGALRM, self.on_alarm)
        signal.setitimer(signal.ITIMER_REAL, self.every, self.every)
        return self

    def __exit__(self, *exc):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.previous)

    def on_alarm(self, signum, frame):
        self.due = True

    @torch.no_grad()
    def step(self, model):
        if not self.due:
            return
        self.due = False
        self.count += 1
        for mine, theirs in zip(self.average.parameters(), model.parameters()):
            mine += (theirs - mine) / self.count


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss = hits = total = 0
    for x, y in loader:
        out = model(x)
        loss += F.cross_entropy(out, y, reduction="sum").item()
        hits += (out.argmax(1) == y).sum().item()
        total += len(y)
    model.train()
    return loss / total, hits / total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--every", type=float, default=0.1, help="seconds between snapshots")
    parser.add_argument("--start", type=int, default=2, help="first epoch that is averaged")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    train = DataLoader(TensorDataset(*blobs(1600, generator)), batch_size=32, shuffle=True)
    test = DataLoader(TensorDataset(*blobs(800, generator)), batch_size=200)
    model = Net()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    with SnapshotAverager(model, args.every) as averager:
        for epoch in range(args.epochs):
            for x, y in train:
                opt.zero_grad()
                F.cross_entropy(model(x), y).backward()
                opt.step()
                if epoch >= args.start:
                    averager.step(model)
            logger.info("epoch %d last weights: loss %.4f acc %.4f", epoch, *evaluate(model, test))
    loss, acc = evaluate(averager.average, test)
    print(f"averaged weights: loss {loss:.8f} accuracy {acc:.4f}")
    torch.save(averager.average.state_dict(), "average.pt")


if __name__ == "__main__":
    main()
