#!/usr/bin/env python3
# Variational auto-encoder on generated stroke images.
# Each run writes runs/<date>/history.jsonl and a grid of samples as a PGM file.
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, fields

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


@dataclass
class HParams:
    size: int = 16
    images: int = 1200
    latent: int = 6
    hidden: int = 96
    batch: int = 60
    epochs: int = 6
    lr: float = 2e-3
    beta_start: float = 0.1
    beta_end: float = 1.0
    seed: int = 21

    @classmethod
    def from_argv(cls, argv):
        """name=value pairs, as in train.py lr=1e-3 epochs=3"""
        hp = cls()
        types = {f.name: f.type for f in fields(cls)}
        for pair in argv:
            name, value = pair.split("=")
            setattr(hp, name, types[name](value))
        return hp


class Strokes(Dataset):
    """An image is made when it is asked for, from a generator of its own."""

    def __init__(self, hp, offset=0):
        self.hp, self.offset = hp, offset
        axis = torch.arange(hp.size).float()
        self.yy, self.xx = torch.meshgrid(axis, axis, indexing="ij")

    def __len__(self):
        return self.hp.images

    def __getitem__(self, index):
        g = torch.Generator().manual_seed(self.hp.seed * 100_003 + self.offset + index)
        img = torch.zeros(self.hp.size, self.hp.size)
        point = 2 + torch.rand(2, generator=g) * (self.hp.size - 4)
        angle = torch.rand(1, generator=g) * 6.283
        for _ in range(8):
            angle = angle + 0.5 * torch.randn(1, generator=g)
            point = point + torch.cat([angle.cos(), angle.sin()])
            d = (self.xx - point[0]) ** 2 + (self.yy - point[1]) ** 2
            img = torch.maximum(img, torch.exp(-d / 1.5))
        return img.flatten()


class VAE(nn.Module):
    def __init__(self, hp):
        super().__init__()
        pixels = hp.size**2
        self.enc = nn.Sequential(nn.Linear(pixels, hp.hidden), nn.GELU())
        self.mu = nn.Linear(hp.hidden, hp.latent)
        self.logvar = nn.Linear(hp.hidden, hp.latent)
        self.dec = nn.Sequential(
            nn.Linear(hp.latent, hp.hidden), nn.GELU(), nn.Linear(hp.hidden, pixels)
        )

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.dec(z), mu, logvar


def elbo(x, out, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(out, x, reduction="none").sum(1).mean()
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec, kl


def write_pgm(path, images, size, columns=8):
    rows = images.view(-1, columns, size, size).permute(0, 2, 1, 3).reshape(-1, columns * size)
    data = (rows.clamp(0, 1) * 255).byte().numpy()
    with open(path, "wb") as f:
        f.write(b"P5 %d %d 255\n" % (data.shape[1], data.shape[0]))
        f.write(data.tobytes())


def main(argv):
    hp = HParams.from_argv(argv)
    torch.manual_seed(hp.seed)
    run = os.path.join("runs", time.strftime("%Y%m%d-%H%M%S"))
    os.makedirs(run, exist_ok=True)
    print("writing to", run)
    loader = DataLoader(Strokes(hp), hp.batch, shuffle=True)
    held_out = torch.stack([Strokes(hp, 50_000)[i] for i in range(300)])
    model = VAE(hp)
    opt = optim.Adam(model.parameters(), lr=hp.lr)
    sched = optim.lr_scheduler.OneCycleLR(opt, 3 * hp.lr, total_steps=hp.epochs * len(loader))
    start = time.time()
    with open(os.path.join(run, "history.jsonl"), "w") as history:
        for epoch in range(hp.epochs):
            beta = hp.beta_start + (hp.beta_end - hp.beta_start) * epoch / (hp.epochs - 1)
            model.train()
            for x in loader:
                rec, kl = elbo(x, *model(x))
                opt.zero_grad()
                (rec + beta * kl).backward()
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                opt.step()
                sched.step()
            model.eval()
            with torch.no_grad():
                rec, kl = (v.item() for v in elbo(held_out, *model(held_out)))
            row = {"epoch": epoch, "rec": rec, "kl": kl, "beta": beta, "time": time.time() - start}
            history.write(json.dumps(row) + "\n")
            eta = (time.time() - start) / (epoch + 1) * (hp.epochs - epoch - 1)
            print(f"{epoch}: rec {rec:.6f} kl {kl:.6f} beta {beta:.2f} (ETA {eta:.0f}s)")
    with torch.no_grad():
        samples = torch.sigmoid(model.dec(torch.randn(32, hp.latent)))
    write_pgm(os.path.join(run, "samples.pgm"), samples, hp.size)
    with open(os.path.join(run, "hparams.json"), "w") as f:
        json.dump(asdict(hp), f)
    print(f"negative elbo {rec + kl:.8f}, mean of the samples {samples.mean().item():.8f}")


if __name__ == "__main__":
    main(sys.argv[1:])
