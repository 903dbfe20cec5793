"""Credit scoring with a hashed train/holdout split, so that jobs on one host do not share holdouts."""
import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass
from datetime import datetime

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import brier_score_loss, roc_auc_score


@dataclass
class JobConfig:
    name: str = "credit"
    holdout: float = 0.2
    max_iter: int = 60
    learning_rate: float = 0.1
    rows: int = 4000


class Job:
    def __init__(self, cfg):
        self.cfg = cfg
        self.id = f"{cfg.name}-{os.getpid()}"
        self.started = datetime.now()

    def log(self, msg):
        print(f"{datetime.now():%H:%M:%S} {msg}", flush=True)

    def in_holdout(self, key):
        digest = hashlib.md5(f"{self.id}:{key}".encode()).hexdigest()
        return int(digest[:8], 16) / 0xFFFFFFFF < self.cfg.holdout


def applications(n):
    rng = np.random.default_rng(31)
    df = pd.DataFrame({
        "customer": np.arange(n) + 100000,
        "income": rng.lognormal(10, 0.5, n),
        "age": rng.integers(18, 80, n),
        "debt": rng.lognormal(8, 1.0, n),
        "late": rng.poisson(0.6, n),
        "years": rng.exponential(5, n),
    })
    z = -2 + 0.8 * df.late + 0.9 * np.log(df.debt / df.income + 0.01) + 0.5 - 0.05 * df.years
    df["default"] = (rng.random(n) < 1 / (1 + np.exp(-z))).astype(int)
    return df


def features(df):
    out = df[["income", "age", "debt", "late", "years"]].copy()
    out["dti"] = df.debt / df.income
    out["log_income"] = np.log(df.income)
    return out


def main():
    cfg = JobConfig()
    job = Job(cfg)
    job.log(f"config {asdict(cfg)}")
    df = applications(cfg.rows)
    hold = df["customer"].map(job.in_holdout).to_numpy()
    X, y = features(df), df["default"].to_numpy()
    t = time.perf_counter()
    model = HistGradientBoostingClassifier(max_iter=cfg.max_iter, learning_rate=cfg.learning_rate, random_state=0)
    model.fit(X[~hold], y[~hold])
    job.log(f"fit {time.perf_counter() - t:.2f}s")
    p = model.predict_proba(X[hold])[:, 1]
    result = {"auc": roc_auc_score(y[hold], p), "brier": brier_score_loss(y[hold], p), "holdout": int(hold.sum())}
    job.log("auc {auc:.6f} brier {brier:.6f} holdout {holdout}".format(**result))
    with open("result.json", "w") as f:
        json.dump(result, f)


if __name__ == "__main__":
    main()
