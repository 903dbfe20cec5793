"""Auto-encoder training; picks the fastest micro-batch first and scales the learning rate with it."""
import argparse
import json
import time
from pathlib import Path

import torch
from torch import nn


class AutoEncoder(nn.Module):
    def __init__(self, d=64, z=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 48), nn.ReLU(), nn.Linear(48, z))
        self.dec = nn.Sequential(nn.Linear(z, 48), nn.ReLU(), nn.Linear(48, d))

    def forward(self, x):
        return self.dec(self.enc(x))


def make_data(n=4000, d=64, k=5):
    basis = torch.randn(k, d)
    return torch.tanh(torch.randn(n, k) @ basis / 2) + 0.05 * torch.randn(n, d)


def throughput(model, data, bs, iters=12):
    """rows per second of forward + backward at this batch size"""
    x = data[:bs]
    for _ in range(2):
        nn.functional.mse_loss(model(x), x).backward()
    t = time.perf_counter()
    for _ in range(iters):
        nn.functional.mse_loss(model(x), x).backward()
    model.zero_grad()
    return bs * iters / (time.perf_counter() - t)


def choose_batch_size(model, data, candidates):
    speeds = {bs: throughput(model, data, bs) for bs in candidates}
    return max(speeds, key=speeds.get)


def cosine(step, total, base):
    return 0.5 * base * (1 + torch.cos(torch.tensor(step / total * 3.14159265)).item())


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--base-lr", type=float, default=1e-3)
    ap.add_argument("--candidates", type=int, nargs="+", default=[1536, 1664, 1792, 1920, 2048, 2176, 2304])
    ap.add_argument("--out", type=Path, default=Path("ae"))
    args = ap.parse_args()
    args.out.mkdir(exist_ok=True)
    data = make_data()
    model = AutoEncoder()
    bs = choose_batch_size(model, data, args.candidates)
    lr = args.base_lr * bs / 256
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    total = args.epochs * ((len(data) - 400) // bs + 1)
    step = 0
    begin = time.time()
    for epoch in range(args.epochs):
        losses = []
        for idx in torch.randperm(len(data) - 400).split(bs):
            for g in opt.param_groups:
                g["lr"] = cosine(step, total, lr)
            x = data[400:][idx]
            loss = nn.functional.mse_loss(model(x), x)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
            step += 1
        print(f"epoch {epoch}  train mse {sum(losses) / len(losses):.6f}  ({time.time() - begin:.1f}s)")
    with torch.no_grad():
        val = nn.functional.mse_loss(model(data[:400]), data[:400]).item()
    print(f"validation mse {val:.7f}")
    (args.out / "result.json").write_text(json.dumps({"val_mse": val, "epochs": args.epochs}))
    torch.save(model.state_dict(), args.out / "ae.pt")


if __name__ == "__main__":
    main()
