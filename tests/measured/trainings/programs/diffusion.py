"""Toy DDPM on two moons"""
import copy
import sys
import time
from dataclasses import dataclass, field, asdict

import numpy as np
import torch
import torch.nn as nn


@dataclass
class Config:
    T: int = 50
    epochs: int = 25
    batch_size: int = 128
    lr: float = 2e-3
    hidden: int = 64
    ema: float = 0.99
    n: int = 1024
    started: float = field(default_factory=time.time)


class ProgressBar:
    """tqdm is not on the cluster image"""

    def __init__(self, total, desc="", width=30):
        self.total, self.desc, self.width = total, desc, width
        self.n = 0
        self.t0 = time.time()
        self.postfix = ""

    def update(self, n=1, **postfix):
        self.n += n
        self.postfix = " ".join(f"{k}={v:.5f}" for k, v in postfix.items())
        self.render()

    def render(self):
        done = int(self.width * self.n / self.total)
        rate = self.n / max(time.time() - self.t0, 1e-9)
        eta = (self.total - self.n) / rate
        sys.stderr.write(f"\r{self.desc} [{'#' * done}{'.' * (self.width - done)}] {self.n}/{self.total} "
                         f"{rate:.1f}it/s ETA {eta:.0f}s {self.postfix}")

    def close(self):
        sys.stderr.write("\n")


def two_moons(n):
    t = np.random.rand(n) * np.pi
    up = np.random.rand(n) < 0.5
    x = np.where(up, np.cos(t), 1 - np.cos(t))
    y = np.where(up, np.sin(t), 0.5 - np.sin(t))
    xy = np.stack([x, y], 1) + 0.05 * np.random.randn(n, 2)
    return torch.tensor((xy - xy.mean(0)) / xy.std(0), dtype=torch.float32)


class Denoiser(nn.Module):
    def __init__(self, hidden, T):
        super().__init__()
        self.temb = nn.Embedding(T, hidden)
        self.inp = nn.Linear(2, hidden)
        self.net = nn.Sequential(nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 2))

    def forward(self, x, t):
        return self.net(self.inp(x) + self.temb(t))


class Diffusion:
    def __init__(self, cfg):
        self.cfg = cfg
        self.betas = torch.linspace(1e-4, 0.15, cfg.T)
        self.alphas = 1 - self.betas
        self.abar = torch.cumprod(self.alphas, 0)

    def loss(self, model, x0):
        t = torch.randint(0, self.cfg.T, (x0.size(0),))
        eps = torch.randn_like(x0)
        a = self.abar[t][:, None]
        return ((model(a.sqrt() * x0 + (1 - a).sqrt() * eps, t) - eps) ** 2).mean()

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for t in reversed(range(self.cfg.T)):
            tt = torch.full((n,), t)
            eps = model(x, tt)
            x = (x - self.betas[t] / (1 - self.abar[t]).sqrt() * eps) / self.alphas[t].sqrt()
            if t:
                x = x + self.betas[t].sqrt() * torch.randn_like(x)
        return x


def main():
    cfg = Config()
    data = two_moons(cfg.n)
    model = Denoiser(cfg.hidden, cfg.T)
    ema = copy.deepcopy(model)
    diff = Diffusion(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    bar = ProgressBar(cfg.epochs, "train")
    for epoch in range(cfg.epochs):
        total = 0.0
        for idx in torch.randperm(cfg.n).split(cfg.batch_size):
            loss = diff.loss(model, data[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            with torch.no_grad():
                for p, q in zip(ema.parameters(), model.parameters()):
                    p.mul_(cfg.ema).add_(q, alpha=1 - cfg.ema)
            total += loss.item() * len(idx)
        bar.update(1, loss=total / cfg.n)
    bar.close()
    s = diff.sample(ema, 500)
    d = torch.cdist(s, data).min(1).values
    print(f"final loss {total / cfg.n:.6f}")
    print(f"sample mean {s.mean(0).tolist()} nn-dist {d.mean():.6f}")
    print("config:", {k: v for k, v in asdict(cfg).items() if k != "started"})
    print(f"run took {time.time() - cfg.started:.1f}s")
    np.save("samples.npy", s.numpy())


if __name__ == "__main__":
    main()
