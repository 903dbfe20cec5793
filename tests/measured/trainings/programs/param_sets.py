"""Transfer learning: small learning rate for the backbone, larger one for the new head."""
import argparse
import time
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.stem = nn.Conv2d(1, width, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1)) for _ in range(2))

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.stem(x)), 2)
        for b in self.blocks:
            x = x + b(x)
        return x.mean((2, 3))


class Classifier(nn.Module):
    def __init__(self, width=32, classes=4):
        super().__init__()
        self.backbone = Backbone(width)
        self.head = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, classes))

    def forward(self, x):
        return self.head(self.backbone(x))


def textures(n, size=12):
    y = torch.randint(0, 4, (n,))
    ii, jj = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    base = torch.stack([torch.sin(ii * 1.5), torch.sin(jj * 1.5), torch.sin((ii + jj) * 1.2), torch.cos(ii * 2.0) * torch.sin(jj * 2.0)])
    return base[y][:, None] + 1.2 * torch.randn(n, 1, size, size), y


def make_optimizer(model, args):
    head = set(model.head.parameters())
    backbone = set(model.parameters()) - head
    return torch.optim.AdamW([
        {"params": list(backbone), "lr": args.lr * 0.1},
        {"params": list(head), "lr": args.lr},
    ], weight_decay=0.01)


def all_params(opt):
    return [p for g in opt.param_groups for p in g["params"]]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, default=0.01)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--clip", type=float, default=0.05)
    ap.add_argument("--out", type=Path, default=Path("ckpt"))
    args = ap.parse_args()
    args.out.mkdir(exist_ok=True)
    Xtr, ytr = textures(640)
    Xva, yva = textures(200)
    model = Classifier()
    opt = make_optimizer(model, args)
    start = time.time()
    for epoch in range(args.epochs):
        model.train()
        tot = 0.0
        for idx in torch.randperm(len(Xtr)).split(32):
            loss = F.cross_entropy(model(Xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(all_params(opt), args.clip)
            opt.step()
            tot += loss.item() * len(idx)
        model.eval()
        with torch.no_grad():
            out = model(Xva)
        acc = (out.argmax(1) == yva).float().mean().item()
        print(f"epoch {epoch} loss {tot / len(Xtr):.9f} val {F.cross_entropy(out, yva).item():.9f} acc {acc:.4f}"
              f" ({time.time() - start:.1f}s)")
    torch.save({"model": model.state_dict(), "opt": opt.state_dict()}, args.out / "last.pt")


if __name__ == "__main__":
    main()
