"""Incremental anomaly detector: keeps running feature statistics on disk between runs."""
import argparse
import logging
import pickle
import time
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics import average_precision_score

CACHE = Path(".cache")
log = logging.getLogger("anomaly")
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")


class RunningStats:
    """Welford over everything that was ever seen"""

    def __init__(self, d):
        self.n = 0
        self.mean = np.zeros(d)
        self.m2 = np.zeros(d)

    def update(self, X):
        for x in X:
            self.n += 1
            delta = x - self.mean
            self.mean += delta / self.n
            self.m2 += delta * (x - self.mean)

    @property
    def std(self):
        return np.sqrt(self.m2 / max(self.n - 1, 1)) + 1e-8


def load_stats(d):
    path = CACHE / "stats.pkl"
    if path.is_file():
        with path.open("rb") as f:
            stats = pickle.load(f)
        log.info("statistics over %d rows loaded", stats.n)
        return stats
    return RunningStats(d)


def save_stats(stats):
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "stats.pkl").open("wb") as f:
        pickle.dump(stats, f)


def telemetry(n, d=12, rate=0.04):
    mix = np.random.randn(4, d)
    X = np.random.randn(n, 4) @ mix + 0.3 * np.random.randn(n, d)
    y = np.random.rand(n) < rate
    X[y] += np.random.randn(int(y.sum()), d) * 1.3
    return X * np.linspace(0.5, 5, d) + np.arange(d), y.astype(int)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rows", type=int, default=3000)
    ap.add_argument("--components", type=int, default=4)
    ap.add_argument("--outlier", type=float, default=3.5)
    args = ap.parse_args()
    t0 = time.time()
    X, y = telemetry(args.rows)
    stats = load_stats(X.shape[1])
    half = args.rows // 2
    known = stats.n > 0
    if known:
        z = np.abs((X[:half] - stats.mean) / stats.std)
        clean = (z < args.outlier).all(1)
    else:
        clean = np.ones(half, bool)
    stats.update(X[:half][clean])
    save_stats(stats)
    Z = (X - stats.mean) / stats.std
    pca = PCA(args.components, random_state=0).fit(Z[:half][clean])
    err = ((Z - pca.inverse_transform(pca.transform(Z))) ** 2).mean(1)
    ap_score = average_precision_score(y[half:], err[half:])
    print(f"average precision {ap_score:.8f}, mean error {err.mean():.8f}")
    log.info("finished in %.2fs", time.time() - t0)
    np.savetxt("scores.txt", err[half:], fmt="%.8f")


if __name__ == "__main__":
    main()
