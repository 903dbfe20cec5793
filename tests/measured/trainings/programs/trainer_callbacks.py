"""Generic Trainer with callbacks, early stopping, checkpointing and resume."""
import os
import time

import torch
from torch import nn


class Callback:
    def on_fit_start(self, trainer): ...
    def on_epoch_start(self, trainer): ...
    def on_epoch_end(self, trainer, logs): ...
    def on_fit_end(self, trainer): ...


class Timer(Callback):
    def on_fit_start(self, trainer):
        self.fit_start = time.monotonic()

    def on_epoch_start(self, trainer):
        self.epoch_start = time.monotonic()

    def on_epoch_end(self, trainer, logs):
        logs["epoch_time"] = time.monotonic() - self.epoch_start

    def on_fit_end(self, trainer):
        print(f"fit finished after {time.monotonic() - self.fit_start:.2f}s")


class EarlyStopping(Callback):
    def __init__(self, monitor="val_loss", patience=3, min_delta=1e-4):
        self.monitor, self.patience, self.min_delta = monitor, patience, min_delta
        self.best, self.bad = float("inf"), 0

    def on_epoch_end(self, trainer, logs):
        if logs[self.monitor] < self.best - self.min_delta:
            self.best, self.bad = logs[self.monitor], 0
        else:
            self.bad += 1
            if self.bad >= self.patience:
                print("early stopping")
                trainer.should_stop = True


class Checkpoint(Callback):
    def __init__(self, path="ckpt"):
        self.path = path
        os.makedirs(path, exist_ok=True)

    def on_epoch_end(self, trainer, logs):
        state = {
            "epoch": trainer.epoch,
            "model": trainer.model.state_dict(),
            "optimizer": trainer.optimizer.state_dict(),
            "val_loss": logs["val_loss"],
            "saved_at": time.time(),
        }
        tmp = os.path.join(self.path, "last.pt.tmp")
        torch.save(state, tmp)
        os.replace(tmp, os.path.join(self.path, "last.pt"))


class Printer(Callback):
    def on_epoch_end(self, trainer, logs):
        print(f"epoch {trainer.epoch:3d} - " + " - ".join(f"{k}: {v:.5f}" for k, v in logs.items()))


class Trainer:
    def __init__(self, model, optimizer, loss_fn, callbacks=()):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.callbacks = list(callbacks)
        self.epoch = 0
        self.should_stop = False

    def _call(self, name, *args):
        for cb in self.callbacks:
            getattr(cb, name)(self, *args)

    def resume(self, path):
        if os.path.exists(path):
            state = torch.load(path)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.epoch = state["epoch"] + 1
            print(f"resumed at epoch {self.epoch}")

    def fit(self, train, val, epochs):
        self._call("on_fit_start")
        while self.epoch < epochs and not self.should_stop:
            self._call("on_epoch_start")
            self.model.train()
            total = 0.0
            X, y = train
            perm = torch.randperm(len(X))
            for idx in perm.split(32):
                self.optimizer.zero_grad()
                loss = self.loss_fn(self.model(X[idx]), y[idx])
                loss.backward()
                self.optimizer.step()
                total += loss.item() * len(idx)
            self.model.eval()
            with torch.no_grad():
                val_loss = self.loss_fn(self.model(val[0]), val[1]).item()
            self._call("on_epoch_end", {"loss": total / len(X), "val_loss": val_loss})
            self.epoch += 1
        self._call("on_fit_end")
        return val_loss if self.epoch else None


def data(n, w):
    X = torch.randn(n, 10)
    return X, (X @ w + 0.3 * torch.sin(3 * X[:, :1]) + 0.1 * torch.randn(n, 1))


def main():
    w = torch.randn(10, 1)
    train, val = data(800, w), data(200, w)
    model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 1))
    trainer = Trainer(model, torch.optim.Adam(model.parameters(), 3e-3), nn.MSELoss(),
                      [Timer(), EarlyStopping(), Checkpoint(), Printer()])
    trainer.resume("ckpt/last.pt")
    if trainer.epoch < 15:
        print("final val loss %.7f" % trainer.fit(train, val, 15))
    torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
