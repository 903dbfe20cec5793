"""Matrix factorisation recommender with a small TensorBoard-like event writer."""
import json
import logging
import os
import time
from collections import defaultdict

import numpy as np
import pandas as pd

LOGDIR = "tb_logs"


class ColorFormatter(logging.Formatter):
    COLORS = {"INFO": "\033[32m", "WARNING": "\033[33m"}

    def format(self, record):
        record.levelname = self.COLORS.get(record.levelname, "") + record.levelname + "\033[0m"
        return super().format(record)


def get_logger():
    log = logging.getLogger(__name__)
    h = logging.StreamHandler()
    h.setFormatter(ColorFormatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    log.addHandler(h)
    fh = logging.FileHandler("train.log")
    fh.setFormatter(logging.Formatter("%(asctime)s %(process)d %(message)s"))
    log.addHandler(fh)
    log.setLevel(logging.INFO)
    return log


class EventWriter:
    def __init__(self, logdir):
        os.makedirs(logdir, exist_ok=True)
        self.path = os.path.join(logdir, "events.%d.%d.jsonl" % (int(time.time()), os.getpid()))
        self._f = open(self.path, "w")
        self._last_flush = time.time()

    def scalar(self, tag, value, step):
        self._f.write(json.dumps({"wall_time": time.time(), "step": step, "tag": tag, "value": value}) + "\n")
        if time.time() - self._last_flush > 2.0:
            self._f.flush()
            self._last_flush = time.time()

    def close(self):
        self._f.close()


def ratings(n_users=150, n_items=80, n=6000, k=4):
    U, V = np.random.randn(n_users, k), np.random.randn(n_items, k)
    u = np.random.randint(0, n_users, n)
    i = np.random.randint(0, n_items, n)
    r = (U[u] * V[i]).sum(1) + 0.2 * np.random.randn(n)
    return pd.DataFrame({"user": u, "item": i, "rating": r}).drop_duplicates(["user", "item"])


class MF:
    def __init__(self, nu, ni, k, lr=0.03, reg=0.02):
        self.P = 0.1 * np.random.randn(nu, k)
        self.Q = 0.1 * np.random.randn(ni, k)
        self.bu, self.bi = np.zeros(nu), np.zeros(ni)
        self.lr, self.reg = lr, reg

    def predict(self, u, i):
        return (self.P[u] * self.Q[i]).sum(-1) + self.bu[u] + self.bi[i]

    def epoch(self, df):
        se = 0.0
        for row in df.sample(frac=1.0).itertuples(index=False):
            u, i = row.user, row.item
            e = row.rating - self.predict(u, i)
            se += e * e
            self.bu[u] += self.lr * (e - self.reg * self.bu[u])
            self.bi[i] += self.lr * (e - self.reg * self.bi[i])
            pu = self.P[u].copy()
            self.P[u] += self.lr * (e * self.Q[i] - self.reg * pu)
            self.Q[i] += self.lr * (e * pu - self.reg * self.Q[i])
        return float(np.sqrt(se / len(df)))


def main():
    log = get_logger()
    writer = EventWriter(LOGDIR)
    df = ratings()
    mask = np.random.rand(len(df)) < 0.8
    tr, te = df[mask], df[~mask]
    model = MF(150, 80, 6)
    history = defaultdict(list)
    t0 = time.time()
    for ep in range(12):
        rmse = model.epoch(tr)
        test = float(np.sqrt(((te.rating - model.predict(te.user.values, te.item.values)) ** 2).mean()))
        writer.scalar("rmse/train", rmse, ep)
        writer.scalar("rmse/test", test, ep)
        writer.scalar("speed/rows_per_sec", len(tr) * (ep + 1) / (time.time() - t0), ep)
        history["train"].append(rmse)
        history["test"].append(test)
        log.info("epoch %d train %.6f test %.6f", ep, rmse, test)
    writer.close()
    pd.DataFrame(history).to_csv("history.csv", float_format="%.8f")
    print("final test rmse %.8f" % history["test"][-1])
    log.info("done after %.1fs", time.time() - t0)


if __name__ == "__main__":
    main()
