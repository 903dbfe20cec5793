"""Fine-tune within the queue's time limit: stops cleanly before the scheduler kills us."""
import argparse
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class Budget:
    """wall-clock budget of the job, in seconds"""

    def __init__(self, limit, reserve=0.2):
        self.limit = limit
        self.reserve = reserve
        self.t0 = time.monotonic()

    @property
    def used(self):
        return time.monotonic() - self.t0

    def exhausted(self):
        return self.used > self.limit - self.reserve


class ResidualMLP(nn.Module):
    def __init__(self, d_in, d=64, blocks=3, n_out=5):
        super().__init__()
        self.inp = nn.Linear(d_in, d)
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(d), nn.Linear(d, d), nn.GELU(), nn.Linear(d, d))
                                    for _ in range(blocks))
        self.out = nn.Linear(d, n_out)

    def forward(self, x):
        h = self.inp(x)
        for b in self.blocks:
            h = h + b(h)
        return self.out(h)


def make(n, d=20, k=5):
    centers = torch.randn(k, d) * 1.2
    y = torch.randint(0, k, (n,))
    return centers[y] + torch.randn(n, d) * 1.5, y


class Trainer:
    def __init__(self, model, args):
        self.model = model
        self.args = args
        self.opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
        self.budget = Budget(args.max_seconds)
        self.step = 0

    def loop(self, X, y):
        while self.step < self.args.max_steps:
            perm = torch.randperm(len(X))
            for idx in perm.split(self.args.batch_size):
                loss = F.cross_entropy(self.model(X[idx]), y[idx], label_smoothing=0.05)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.step += 1
                if self.step % 200 == 0:
                    print(f"step {self.step} loss {loss.item():.6f} ({self.budget.used:.1f}s used)")
                if self.budget.exhausted():
                    print("time budget used up, stopping")
                    return loss.item()
        return loss.item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--max-seconds", type=float, default=2.5)
    ap.add_argument("--max-steps", type=int, default=100000)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--out", default="out")
    args = ap.parse_args()
    os.makedirs(args.out, exist_ok=True)
    X, y = make(3000)
    model = ResidualMLP(20)
    trainer = Trainer(model, args)
    loss = trainer.loop(X[:2400], y[:2400])
    model.eval()
    with torch.no_grad():
        acc = (model(X[2400:]).argmax(1) == y[2400:]).float().mean().item()
    print(f"last loss {loss:.6f}, held-out accuracy {acc:.5f}")
    torch.save({"model": model.state_dict(), "step": trainer.step}, os.path.join(args.out, "final.pt"))


if __name__ == "__main__":
    main()
