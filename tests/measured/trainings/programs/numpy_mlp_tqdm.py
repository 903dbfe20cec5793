"""MLP from scratch in numpy, digits data, tqdm progress and a csv log."""
import csv
import time

import numpy as np
from sklearn.datasets import load_digits
from tqdm import tqdm, trange

HIDDEN = [64, 32]
EPOCHS = 12
BATCH = 64
LR = 0.1
MOMENTUM = 0.9


def one_hot(y, k=10):
    out = np.zeros((len(y), k))
    out[np.arange(len(y)), y] = 1
    return out


class Layer:
    def __init__(self, n_in, n_out):
        self.W = np.random.randn(n_in, n_out) * np.sqrt(2 / n_in)
        self.b = np.zeros(n_out)
        self.vW = np.zeros_like(self.W)
        self.vb = np.zeros_like(self.b)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, g):
        self.gW = self.x.T @ g
        self.gb = g.sum(0)
        return g @ self.W.T

    def step(self, lr):
        self.vW = MOMENTUM * self.vW - lr * self.gW
        self.vb = MOMENTUM * self.vb - lr * self.gb
        self.W += self.vW
        self.b += self.vb


class MLP:
    def __init__(self, sizes):
        self.layers = [Layer(a, b) for a, b in zip(sizes, sizes[1:])]

    def forward(self, x):
        self.masks = []
        for layer in self.layers[:-1]:
            x = layer.forward(x)
            self.masks.append(x > 0)
            x = np.maximum(x, 0)
        z = self.layers[-1].forward(x)
        e = np.exp(z - z.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def backward(self, p, t):
        g = (p - t) / len(t)
        g = self.layers[-1].backward(g)
        for layer, m in zip(self.layers[-2::-1], self.masks[::-1]):
            g = layer.backward(g * m)

    def step(self, lr):
        for layer in self.layers:
            layer.step(lr)


def cross_entropy(p, t):
    return -np.mean(np.sum(t * np.log(p + 1e-12), axis=1))


def main():
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    perm = np.random.permutation(len(X))
    X, y = X[perm], y[perm]
    n_tr = int(0.8 * len(X))
    Xtr, ytr, Xte, yte = X[:n_tr], y[:n_tr], X[n_tr:], y[n_tr:]
    net = MLP([64, *HIDDEN, 10])
    log = open("train_log.csv", "w", newline="")
    writer = csv.writer(log)
    writer.writerow(["epoch", "loss", "test_acc", "seconds"])
    begin = time.time()
    bar = trange(EPOCHS, desc="epochs")
    for epoch in bar:
        t = time.time()
        order = np.random.permutation(n_tr)
        losses = []
        for s in tqdm(range(0, n_tr, BATCH), leave=False, desc=f"epoch {epoch}"):
            idx = order[s:s + BATCH]
            target = one_hot(ytr[idx])
            p = net.forward(Xtr[idx])
            losses.append(cross_entropy(p, target))
            net.backward(p, target)
            net.step(LR)
        acc = float((net.forward(Xte).argmax(1) == yte).mean())
        took = time.time() - t
        bar.set_postfix(loss=f"{np.mean(losses):.4f}", acc=f"{acc:.4f}", sec=f"{took:.2f}")
        writer.writerow([epoch, f"{np.mean(losses):.8f}", f"{acc:.5f}", f"{took:.3f}s"])
    log.close()
    print(f"test accuracy {acc:.5f}, loss {np.mean(losses):.8f}")
    print("total time: %.2f sec" % (time.time() - begin))
    np.savez("weights.npz", **{f"W{i}": l.W for i, l in enumerate(net.layers)})


if __name__ == "__main__":
    main()
