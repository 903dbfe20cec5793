"""Matrix factorisation with several processes that update one set of factors (Hogwild style).

The factors live in shared memory; every process walks over its own part of the ratings.
"""

import argparse
import json
import logging
import multiprocessing as mp
import time
from dataclasses import asdict, dataclass

import numpy as np

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(process)d] %(message)s")
log = logging.getLogger("mf")


@dataclass
class Config:
    users: int = 300
    items: int = 80
    rank: int = 8
    ratings: int = 9000
    epochs: int = 4
    workers: int = 3
    lr: float = 0.03
    reg: float = 0.02
    seed: int = 0


def make_ratings(cfg):
    rng = np.random.default_rng(cfg.seed)
    p = rng.normal(0, 0.6, (cfg.users, 4))
    q = rng.normal(0, 0.6, (cfg.items, 4))
    u = rng.integers(0, cfg.users, cfg.ratings)
    # popular items get most of the ratings
    i = np.minimum((rng.pareto(1.2, cfg.ratings) * 6).astype(int), cfg.items - 1)
    r = 3.5 + (p[u] * q[i]).sum(1) + rng.normal(0, 0.3, cfg.ratings)
    cut = int(0.85 * cfg.ratings)
    table = np.column_stack([u, i, r])
    return table[:cut], table[cut:]


class Factors:
    """Arrays in shared memory that look like ordinary ones."""

    def __init__(self, cfg):
        self.cfg = cfg
        self.raw_p = mp.RawArray("d", cfg.users * cfg.rank)
        self.raw_q = mp.RawArray("d", cfg.items * cfg.rank)
        self.raw_b = mp.RawArray("d", cfg.items)
        rng = np.random.default_rng(cfg.seed + 1)
        p, q, _ = self.views()
        p[:] = rng.normal(0, 0.1, p.shape)
        q[:] = rng.normal(0, 0.1, q.shape)

    def views(self):
        cfg = self.cfg
        p = np.frombuffer(self.raw_p).reshape(cfg.users, cfg.rank)
        q = np.frombuffer(self.raw_q).reshape(cfg.items, cfg.rank)
        return p, q, np.frombuffer(self.raw_b)


def sgd_pass(factors, rows, mean, epoch, cfg):
    p, q, b = factors.views()
    order = np.random.default_rng([cfg.seed, epoch]).permutation(len(rows))
    for n in order:
        u, i, r = int(rows[n, 0]), int(rows[n, 1]), rows[n, 2]
        err = r - mean - b[i] - p[u] @ q[i]
        pu = p[u].copy()
        p[u] += cfg.lr * (err * q[i] - cfg.reg * pu)
        q[i] += cfg.lr * (err * pu - cfg.reg * q[i])
        b[i] += cfg.lr * err


def rmse(factors, rows, mean):
    p, q, b = factors.views()
    u, i = rows[:, 0].astype(int), rows[:, 1].astype(int)
    pred = mean + b[i] + (p[u] * q[i]).sum(1)
    return float(np.sqrt(np.mean((rows[:, 2] - pred) ** 2)))


def train(cfg):
    train_rows, test_rows = make_ratings(cfg)
    mean = train_rows[:, 2].mean()
    factors = Factors(cfg)
    # users are split between the workers, items are shared
    parts = [train_rows[train_rows[:, 0] % cfg.workers == w] for w in range(cfg.workers)]
    history = []
    for epoch in range(cfg.epochs):
        tic = time.perf_counter()
        workers = [
            mp.Process(target=sgd_pass, args=(factors, part, mean, epoch, cfg)) for part in parts
        ]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        score = rmse(factors, test_rows, mean)
        history.append(score)
        log.info("epoch %d took %.2fs", epoch, time.perf_counter() - tic)
        print(f"epoch {epoch} test rmse {score:.8f}")
    return history


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=Config.epochs)
    parser.add_argument("--workers", type=int, default=Config.workers)
    args = parser.parse_args()
    np.random.seed(0)
    cfg = Config(epochs=args.epochs, workers=args.workers)
    history = train(cfg)
    with open("mf.json", "w") as f:
        json.dump({"config": asdict(cfg), "rmse": history}, f, indent=2)
    print(f"best rmse {min(history):.8f}")


if __name__ == "__main__":
    main()
