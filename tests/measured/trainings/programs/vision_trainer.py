"""Train a small CNN on synthetic shapes (stand-in for our defect images)."""
import argparse
import datetime
import os
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class AverageMeter:
    def __init__(self, name, fmt=":f"):
        self.name = name
        self.fmt = fmt
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = 0.0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        return ("{name} {val" + self.fmt + "} ({avg" + self.fmt + "})").format(**self.__dict__)


class ProgressMeter:
    def __init__(self, num_batches, meters, prefix=""):
        width = len(str(num_batches))
        self.batch_fmt = "[{:" + str(width) + "d}/" + str(num_batches) + "]"
        self.meters = meters
        self.prefix = prefix

    def display(self, batch):
        entries = [self.prefix + self.batch_fmt.format(batch)]
        entries += [str(m) for m in self.meters]
        print("  ".join(entries))


def make_shapes(n, size=16):
    x = torch.zeros(n, 1, size, size)
    y = torch.randint(0, 3, (n,))
    for i in range(n):
        r = int(torch.randint(2, 6, (1,)))
        cx, cy = [int(v) for v in torch.randint(6, 10, (2,))]
        if y[i] == 0:
            x[i, 0, cx - r:cx + r, cy - r:cy + r] = 1
        elif y[i] == 1:
            x[i, 0, cx, :] = 1
            x[i, 0, :, cy] = 1
        else:
            for k in range(r):
                x[i, 0, cx + k, cy - k] = 1
                x[i, 0, cx - k, cy + k] = 1
    return x + 0.3 * torch.randn_like(x), y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 8, 3, padding=1)
        self.c2 = nn.Conv2d(8, 16, 3, padding=1)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(16 * 4 * 4, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc(self.drop(x.flatten(1)))


class Trainer:
    def __init__(self, args):
        self.args = args
        self.model = Net()
        self.opt = torch.optim.SGD(self.model.parameters(), lr=args.lr, momentum=0.9)
        self.sched = torch.optim.lr_scheduler.StepLR(self.opt, 2, 0.5)
        self.train_loader = DataLoader(TensorDataset(*make_shapes(600)), batch_size=args.batch_size, shuffle=True)
        self.val_loader = DataLoader(TensorDataset(*make_shapes(200)), batch_size=100)
        self.best_acc = 0.0
        self.start_time = None
        os.makedirs(args.out, exist_ok=True)

    def train_epoch(self, epoch):
        batch_time = AverageMeter("Time", ":6.3f")
        data_time = AverageMeter("Data", ":6.3f")
        losses = AverageMeter("Loss", ":.4e")
        progress = ProgressMeter(len(self.train_loader), [batch_time, data_time, losses], f"Epoch: [{epoch}]")
        self.model.train()
        end = time.time()
        for i, (x, y) in enumerate(self.train_loader):
            data_time.update(time.time() - end)
            loss = F.cross_entropy(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            losses.update(loss.item(), x.size(0))
            batch_time.update(time.time() - end)
            end = time.time()
            if i % self.args.print_freq == 0:
                progress.display(i)
        return losses.avg

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        correct = total = 0
        for x, y in self.val_loader:
            correct += (self.model(x).argmax(1) == y).sum().item()
            total += y.numel()
        return correct / total

    def fit(self):
        self.start_time = time.time()
        for epoch in range(self.args.epochs):
            loss = self.train_epoch(epoch)
            acc = self.validate()
            self.sched.step()
            elapsed = time.time() - self.start_time
            eta = elapsed / (epoch + 1) * (self.args.epochs - epoch - 1)
            print(f"epoch {epoch}: loss {loss:.6f} acc {acc:.4f} ETA {datetime.timedelta(seconds=int(eta))}")
            if acc > self.best_acc:
                self.best_acc = acc
                torch.save({"model": self.model.state_dict(), "acc": acc, "epoch": epoch},
                           os.path.join(self.args.out, "model_best.pth"))
        total = str(datetime.timedelta(seconds=int(time.time() - self.start_time)))
        print(f"Training time {total}")
        print(f"best acc {self.best_acc:.4f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--batch-size", type=int, default=50)
    p.add_argument("--print-freq", type=int, default=6)
    p.add_argument("--out", default="checkpoints")
    Trainer(p.parse_args()).fit()
