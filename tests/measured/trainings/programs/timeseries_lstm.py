"""LSTM forecaster for hourly load.

    python train.py --hidden 32 --epochs 5
"""
import argparse
import csv
import json
import os
import random
import socket
import time
from dataclasses import dataclass, asdict
from pathlib import Path

import numpy as np
import torch
from torch import nn


@dataclass
class TrainConfig:
    hidden: int = 24
    window: int = 48
    horizon: int = 6
    epochs: int = 4
    batch_size: int = 64
    lr: float = 5e-3
    seed: int = 1234
    tag: str = "lstm"


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def parse_config():
    parser = argparse.ArgumentParser()
    for name, value in asdict(TrainConfig()).items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    return TrainConfig(**vars(parser.parse_args()))


def make_run_dir(cfg):
    stamp = time.strftime("%Y-%m-%d_%H-%M-%S")
    d = Path("experiments") / f"{cfg.tag}_h{cfg.hidden}_s{cfg.seed}_{stamp}"
    d.mkdir(parents=True, exist_ok=True)
    meta = asdict(cfg)
    meta["host"] = socket.gethostname()
    meta["pid"] = os.getpid()
    (d / "config.json").write_text(json.dumps(meta, indent=2))
    return d


def load_series(n=2400):
    t = np.arange(n)
    y = 10 + 3 * np.sin(2 * np.pi * t / 24) + np.sin(2 * np.pi * t / 168) + 0.4 * np.random.randn(n)
    return ((y - y.mean()) / y.std()).astype(np.float32)


def windows(y, w, h):
    idx = np.arange(0, len(y) - w - h, 2)
    X = np.stack([y[i:i + w] for i in idx])[..., None]
    Y = np.stack([y[i + w:i + w + h] for i in idx])
    return torch.from_numpy(X), torch.from_numpy(Y)


class Forecaster(nn.Module):
    def __init__(self, hidden, horizon):
        super().__init__()
        self.rnn = nn.LSTM(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, horizon)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


class CSVLogger:
    def __init__(self, path, fields):
        self.file = open(path, "w", newline="")
        self.writer = csv.DictWriter(self.file, fields)
        self.writer.writeheader()

    def write(self, **row):
        self.writer.writerow(row)
        self.file.flush()

    def close(self):
        self.file.close()


def main():
    cfg = parse_config()
    set_seed(cfg.seed)
    run_dir = make_run_dir(cfg)
    y = load_series()
    cut = int(0.8 * len(y))
    Xtr, Ytr = windows(y[:cut], cfg.window, cfg.horizon)
    Xva, Yva = windows(y[cut:], cfg.window, cfg.horizon)
    model = Forecaster(cfg.hidden, cfg.horizon)
    opt = torch.optim.Adam(model.parameters(), cfg.lr)
    logger = CSVLogger(run_dir / "log.csv", ["epoch", "train_mse", "val_mse", "lr", "elapsed"])
    start = time.time()
    best = float("inf")
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        tot = 0.0
        for idx in torch.randperm(len(Xtr)).split(cfg.batch_size):
            loss = nn.functional.mse_loss(model(Xtr[idx]), Ytr[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            tot += loss.item() * len(idx)
        model.eval()
        with torch.no_grad():
            val = nn.functional.mse_loss(model(Xva), Yva).item()
        elapsed = time.time() - start
        logger.write(epoch=epoch, train_mse=f"{tot / len(Xtr):.6f}", val_mse=f"{val:.6f}", lr=cfg.lr,
                     elapsed=f"{elapsed:.2f}s")
        print(f"{epoch}/{cfg.epochs} train {tot / len(Xtr):.6f} val {val:.6f} [{elapsed:.1f}s]")
        if val < best:
            best = val
            torch.save(model.state_dict(), run_dir / "best.pt")
    logger.close()
    print(f"best val mse {best:.6f}")


if __name__ == "__main__":
    main()
