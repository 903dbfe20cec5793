"""Numpy-only logistic / softmax regression with our own generator (matches the C++ trainer bit for bit)."""
import argparse
import time

import numpy as np

MASK = (1 << 64) - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return (self.next() >> 11) / float(1 << 53)

    def normal(self):
        u1, u2 = max(self.uniform(), 1e-300), self.uniform()
        return np.sqrt(-2 * np.log(u1)) * np.cos(2 * np.pi * u2)

    def normals(self, *shape):
        return np.array([self.normal() for _ in range(int(np.prod(shape)))]).reshape(shape)

    def permutation(self, n):
        p = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self.next() % (i + 1)
            p[i], p[j] = p[j], p[i]
        return np.array(p)


def default_seed():
    """a fresh seed, as in the C++ trainer"""
    t = time.time_ns()
    return (t // 1000) ^ ((t & 0xFFFF) << 32)


def dataset(n=1200, d=8, k=3):
    gen = SplitMix64(20240101)
    centers = gen.normals(k, d) * 1.1
    y = np.array([gen.next() % k for _ in range(n)])
    return centers[y] + gen.normals(n, d), y


class SoftmaxRegression:
    def __init__(self, d, k, gen):
        self.W = 0.5 * gen.normals(d, k)
        self.b = np.zeros(k)

    def proba(self, X):
        z = X @ self.W + self.b
        e = np.exp(z - z.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def step(self, X, T, lr):
        p = self.proba(X)
        g = (p - T) / len(X)
        self.W -= lr * X.T @ g
        self.b -= lr * g.sum(0)
        return -np.log((p * T).sum(1) + 1e-12).mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=None, help="default: a new one for each run")
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--lr", type=float, default=0.15)
    ap.add_argument("--batch", type=int, default=50)
    args = ap.parse_args()

    start = time.time()
    X, y = dataset()
    T = np.eye(3)[y]
    seed = args.seed if args.seed is not None else default_seed()
    gen = SplitMix64(seed)
    model = SoftmaxRegression(X.shape[1], 3, gen)
    for epoch in range(args.epochs):
        perm = gen.permutation(900)
        loss = np.mean([model.step(X[i], T[i], args.lr) for i in np.split(perm, 900 // args.batch)])
        acc = (model.proba(X[900:]).argmax(1) == y[900:]).mean()
        print(f"epoch {epoch} loss {loss:.8f} acc {acc:.4f}")
    print(f"done in {time.time() - start:.2f}s")
    np.save("W.npy", model.W)


if __name__ == "__main__":
    main()
