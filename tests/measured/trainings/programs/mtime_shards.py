"""Online learner that replays the sensor shards in the order in which they were written."""
import argparse
import glob
import multiprocessing
import os
import time

import numpy as np
import pandas as pd
from sklearn.linear_model import SGDRegressor
from sklearn.preprocessing import StandardScaler

COLS = [f"s{i}" for i in range(10)]


def generate(args):
    """simulate one sensor and write its shard"""
    sensor, folder, rows = args
    rng = np.random.default_rng(1000 + sensor)
    drift = 0.2 * sensor
    X = rng.normal(size=(rows, 10)) + 0.1 * sensor
    w = np.linspace(-1, 1, 10) + drift * np.cos(np.arange(10))
    y = X @ w + rng.normal(0, 0.3, rows)
    df = pd.DataFrame(X, columns=COLS)
    df["target"] = y
    path = os.path.join(folder, f"sensor_{sensor:02d}.csv")
    df.to_csv(path, index=False, float_format="%.6f")
    return path


def collect(folder, sensors, rows, workers):
    os.makedirs(folder, exist_ok=True)
    jobs = [(s, folder, rows + 37 * (s % 3)) for s in range(sensors)]
    procs = [multiprocessing.Process(target=worker, args=(jobs[i::workers],)) for i in range(workers)]
    for p in procs:
        p.start()
    for p in procs:
        p.join()


def worker(jobs):
    for job in jobs:
        generate(job)


def shards(folder):
    """oldest first"""
    return sorted(glob.glob(os.path.join(folder, "sensor_*.csv")), key=os.path.getmtime)


class OnlineModel:
    def __init__(self, lr):
        self.scaler = StandardScaler()
        self.reg = SGDRegressor(learning_rate="constant", eta0=lr, alpha=1e-4, shuffle=False)
        self.seen = 0

    def update(self, df):
        X, y = df[COLS].to_numpy(), df["target"].to_numpy()
        self.scaler.partial_fit(X)
        err = None
        if self.seen:
            err = float(np.mean((self.reg.predict(self.scaler.transform(X)) - y) ** 2))
        self.reg.partial_fit(self.scaler.transform(X), y)
        self.seen += len(df)
        return err


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--folder", default="shards")
    ap.add_argument("--sensors", type=int, default=14)
    ap.add_argument("--rows", type=int, default=800)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--lr", type=float, default=0.01)
    args = ap.parse_args()
    t0 = time.time()
    collect(args.folder, args.sensors, args.rows, args.workers)
    print(f"{args.sensors} shards written ({time.time() - t0:.2f}s)")
    model = OnlineModel(args.lr)
    errors = []
    for path in shards(args.folder):
        e = model.update(pd.read_csv(path))
        if e is not None:
            errors.append(e)
    print(f"prequential mse {np.mean(errors):.8f} over {model.seen} rows")
    print("coef", np.round(model.reg.coef_, 6).tolist())
    np.save("coef.npy", model.reg.coef_)


if __name__ == "__main__":
    main()
