"""Loads sensor shards with a thread pool, trains a ridge ensemble, logs progress every few seconds."""
import argparse
import os
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score


class Log:
    """prints, and keeps a copy with the date in front"""

    def __init__(self, path):
        self.fh = open(path, "w")
        self.begin = datetime.now()

    def __call__(self, *msg):
        line = " ".join(str(m) for m in msg)
        since = datetime.now() - self.begin
        print(line)
        self.fh.write(f"[{datetime.now():%Y-%m-%d %H:%M:%S} +{since.total_seconds():.1f}s] {line}\n")
        self.fh.flush()


def write_shards(folder, n):
    folder.mkdir(exist_ok=True)
    w = np.random.randn(15)
    for i in range(n):
        X = np.random.randn(300, 15)
        y = X @ w + 0.5 * np.random.randn(300) + 0.3 * np.maximum(X[:, 0], 0)
        pd.DataFrame(np.column_stack([X, y]), columns=[f"x{k}" for k in range(15)] + ["y"]).to_csv(
            folder / f"shard_{i:03d}.csv", index=False, float_format="%.6f")


def load(path):
    df = pd.read_csv(path)
    return df.drop(columns="y").to_numpy(), df["y"].to_numpy()


def load_all(folder, threads):
    paths = sorted(folder.glob("shard_*.csv"))
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(load, paths))
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def bagging(X, y, k, log):
    models = []
    last_msg = time.monotonic()
    start = time.monotonic()
    for i in range(k):
        idx = np.random.randint(0, len(X), len(X))
        models.append(Ridge(alpha=10 ** np.random.uniform(-2, 2)).fit(X[idx], y[idx]))
        if time.monotonic() - last_msg > 0.5:
            left = (time.monotonic() - start) / (i + 1) * (k - i - 1)
            sys.stderr.write(f"{i + 1}/{k} models, {timedelta(seconds=round(left))} left\n")
            last_msg = time.monotonic()
    log(f"{k} models fitted")
    return models


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--shards", type=int, default=12)
    ap.add_argument("--threads", type=int, default=4)
    ap.add_argument("--models", type=int, default=150)
    args = ap.parse_args()
    log = Log("train.log")
    log("pid", f"[{os.getpid()}]")
    data = Path("data")
    write_shards(data, args.shards)
    newest = max(p.stat().st_mtime for p in data.iterdir())
    log(f"newest shard from {datetime.fromtimestamp(newest):%Y-%m-%d %H:%M:%S}")
    X, y = load_all(data, args.threads)
    cut = int(0.8 * len(X))
    models = bagging(X[:cut], y[:cut], args.models, log)
    pred = np.mean([m.predict(X[cut:]) for m in models], axis=0)
    log(f"r2 {r2_score(y[cut:], pred):.8f}")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"peak memory {usage.ru_maxrss / 1024:.0f} MB", file=sys.stderr)
    np.save("coef.npy", np.mean([m.coef_ for m in models], axis=0))


if __name__ == "__main__":
    main()
