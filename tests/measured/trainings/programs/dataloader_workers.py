import argparse
import random
import shutil
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split


def get_args():
    ap = argparse.ArgumentParser("noisy-signal classifier")
    ap.add_argument("--workers", "-j", default=2, type=int)
    ap.add_argument("--epochs", default=3, type=int)
    ap.add_argument("--batch-size", "-b", default=32, type=int)
    ap.add_argument("--lr", default=0.01, type=float)
    ap.add_argument("--seed", default=0, type=int)
    return ap.parse_args()


class SignalDataset(Dataset):
    """sines, squares and saws with random augmentation done in the worker"""

    def __init__(self, n, length=64):
        self.n, self.length = n, length

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        label = i % 3
        t = np.linspace(0, 1, self.length) * (2 + i % 5)
        if label == 0:
            s = np.sin(2 * np.pi * t)
        elif label == 1:
            s = np.sign(np.sin(2 * np.pi * t))
        else:
            s = 2 * (t % 1) - 1
        s = s * random.uniform(0.5, 1.5) + np.random.normal(0, 0.6, self.length)
        if random.random() < 0.5:
            s = np.roll(s, np.random.randint(self.length))
        return torch.from_numpy(s.astype(np.float32))[None], label


def seed_worker(worker_id):
    worker_seed = torch.initial_seed() % 2 ** 32
    np.random.seed(worker_seed)
    random.seed(worker_seed)


def accuracy(out, y):
    return (out.argmax(1) == y).float().mean().item()


def train(loader, model, crit, opt, epoch):
    batch_time, data_time, losses = [], [], []
    model.train()
    end = time.time()
    for x, y in loader:
        data_time.append(time.time() - end)
        out = model(x)
        loss = crit(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
        batch_time.append(time.time() - end)
        end = time.time()
    print(f"epoch {epoch}: loss {np.mean(losses):.6f}  batch {np.mean(batch_time):.4f}s  data {np.mean(data_time):.4f}s")
    return np.mean(losses)


def validate(loader, model):
    model.eval()
    accs = []
    with torch.no_grad():
        for x, y in loader:
            accs.append(accuracy(model(x), y))
    return float(np.mean(accs))


def save_checkpoint(state, is_best, filename="checkpoint.pth.tar"):
    torch.save(state, filename)
    if is_best:
        shutil.copyfile(filename, "model_best.pth.tar")


def main():
    args = get_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    g = torch.Generator()
    g.manual_seed(args.seed)
    tr, va = random_split(SignalDataset(900), [700, 200])
    kw = dict(batch_size=args.batch_size, num_workers=args.workers, worker_init_fn=seed_worker, generator=g)
    tl, vl = DataLoader(tr, shuffle=True, **kw), DataLoader(va, **kw)
    model = nn.Sequential(nn.Conv1d(1, 8, 7, 2), nn.ReLU(), nn.Conv1d(8, 16, 5, 2), nn.ReLU(),
                          nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(64, 3))
    opt = torch.optim.Adam(model.parameters(), args.lr)
    crit = nn.CrossEntropyLoss()
    best = 0
    begin = time.time()
    for epoch in range(args.epochs):
        loss = train(tl, model, crit, opt, epoch)
        acc = validate(vl, model)
        print(f" * Acc@1 {acc:.5f}")
        is_best = acc > best
        best = max(acc, best)
        save_checkpoint({"epoch": epoch + 1, "state_dict": model.state_dict(), "best": best,
                         "optimizer": opt.state_dict()}, is_best)
    print("Total: {:.1f} minutes".format((time.time() - begin) / 60))


if __name__ == "__main__":
    main()
