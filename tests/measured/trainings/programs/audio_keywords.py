"""Keyword spotting on generated audio: log-mel spectrograms and a small 1-D convolutional net."""

import argparse
import datetime
import json
import logging
import math
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

RATE, SECONDS, N_FFT, HOP, MELS = 4000, 0.5, 128, 64, 20
WORDS = ["up", "down", "left", "right", "stop"]

logger = logging.getLogger("kws")


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def synthesise(word, rng):
    """every word is a pair of gliding tones"""
    t = np.arange(int(RATE * SECONDS)) / RATE
    start = 300 + 120 * word
    glide = (-1) ** word * 250 * (1 + 0.1 * rng.standard_normal())
    f = start * rng.uniform(0.93, 1.07) + glide * t
    wave = np.sin(2 * np.pi * f * t) + 0.4 * np.sin(4 * np.pi * f * t + rng.uniform(0, 6))
    envelope = np.exp(-(((t - rng.uniform(0.15, 0.3)) / 0.12) ** 2))
    return (wave * envelope + 0.25 * rng.standard_normal(len(t))).astype(np.float32)


def mel_filters():
    def mel(f):
        return 2595 * np.log10(1 + f / 700)

    points = 700 * (10 ** (np.linspace(mel(50), mel(RATE / 2), MELS + 2) / 2595) - 1)
    bins = np.fft.rfftfreq(N_FFT, 1 / RATE)
    filters = np.zeros((MELS, len(bins)), dtype=np.float32)
    for m in range(MELS):
        lo, mid, hi = points[m : m + 3]
        filters[m] = np.clip(np.minimum((bins - lo) / (mid - lo), (hi - bins) / (hi - mid)), 0, 1)
    return torch.from_numpy(filters)


def features(waves, filters):
    spec = torch.stft(waves, N_FFT, HOP, window=torch.hann_window(N_FFT), return_complex=True)
    return torch.log(filters @ spec.abs().pow(2) + 1e-4)


class SpecAugment(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, x):
        if not self.training:
            return x
        x = x.clone()
        start = random.randrange(x.shape[-1] - self.width)
        x[..., start : start + self.width] = x.mean()
        return x


class AverageMeter:
    def __init__(self):
        self.total = self.count = 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def mean(self):
        return self.total / max(1, self.count)


def build():
    return nn.Sequential(
        SpecAugment(4),
        nn.Conv1d(MELS, 32, 3, padding=1),
        nn.BatchNorm1d(32),
        nn.ReLU(),
        nn.MaxPool1d(2),
        nn.Conv1d(32, 48, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(48, len(WORDS)),
    )


def run_epoch(model, x, y, opt=None, batch=50):
    model.train(opt is not None)
    loss_m, acc_m, speed = AverageMeter(), AverageMeter(), AverageMeter()
    order = torch.randperm(len(x)) if opt else torch.arange(len(x))
    for idx in order.split(batch):
        tic = time.perf_counter()
        with torch.set_grad_enabled(opt is not None):
            out = model(x[idx])
            loss = F.cross_entropy(out, y[idx])
        if opt:
            opt.zero_grad()
            loss.backward()
            opt.step()
        loss_m.update(loss.item(), len(idx))
        acc_m.update((out.argmax(1) == y[idx]).float().mean().item(), len(idx))
        speed.update(len(idx) / (time.perf_counter() - tic))
    return loss_m.mean, acc_m.mean, speed.mean


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--seed", type=int, default=1337)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(name)s: %(message)s")
    seed_everything(args.seed)
    rng = np.random.default_rng(args.seed)
    y = torch.arange(1000) % len(WORDS)
    x = features(torch.from_numpy(np.stack([synthesise(int(k), rng) for k in y])), mel_filters())
    x = (x - x.mean()) / x.std()
    cut = 800
    model = build()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    best = math.inf
    for epoch in range(1, args.epochs + 1):
        loss, acc, speed = run_epoch(model, x[:cut], y[:cut], opt)
        vloss, vacc, _ = run_epoch(model, x[cut:], y[cut:])
        logger.info("epoch %d: %.4f/%.4f (%.0f clips/s)", epoch, loss, vloss, speed)
        if vloss < best:
            best = vloss
            stamp = datetime.datetime.now().isoformat(timespec="seconds")
            torch.save({"model": model.state_dict(), "epoch": epoch, "date": stamp}, "best.tmp")
            os.replace("best.tmp", "best.pt")
    print(f"best validation loss {best:.8f}, last accuracy {vacc:.4f}")
    with open("result.json", "w") as f:
        json.dump({"val_loss": best, "val_acc": vacc, "args": vars(args)}, f)


if __name__ == "__main__":
    main()
