"""Click-through model (XGBoost). Events are split into train and holdout by a hash of their id,

so that an event never changes sides when the log grows.
"""

import argparse
import dataclasses
import hashlib
import json
import uuid

import numpy as np
import pandas as pd
import xgboost as xgb
from sklearn.metrics import log_loss, roc_auc_score


@dataclasses.dataclass(frozen=True)
class Event:
    event_id: str
    hour: int
    position: int
    device: str
    price: float
    ctr_before: float
    clicked: int


def collect(n, seed):
    """stands in for the collector, which gives each event its id"""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        hour = int(rng.integers(0, 24))
        position = int(rng.integers(1, 11))
        device = str(rng.choice(["phone", "desktop", "tablet"], p=[0.6, 0.3, 0.1]))
        price = float(rng.gamma(2.0, 15.0))
        before = float(rng.beta(2, 20))
        z = -1.0 - 0.25 * position + 8 * before - 0.01 * price
        z += 0.6 * (device == "phone") * (hour > 18) + 0.3 * np.sin(hour / 24 * 2 * np.pi)
        clicked = int(rng.random() < 1 / (1 + np.exp(-z)))
        yield Event(str(uuid.uuid1()), hour, position, device, price, before, clicked)


def bucket(event_id, buckets=100):
    return int(hashlib.md5(event_id.encode()).hexdigest(), 16) % buckets


def to_frame(events):
    frame = pd.DataFrame([dataclasses.asdict(e) for e in events])
    frame["device"] = frame["device"].astype(
        pd.CategoricalDtype(["phone", "desktop", "tablet"], ordered=False)
    )
    frame["evening"] = (frame["hour"] >= 18).astype(int)
    return frame


def split(frame, holdout):
    held = frame["event_id"].map(bucket) < holdout
    return frame[~held], frame[held]


def matrix(frame):
    features = frame.drop(columns=["event_id", "clicked"])
    return xgb.DMatrix(features, label=frame["clicked"], enable_categorical=True)


def train(train_frame, test_frame, rounds, seed):
    params = {
        "objective": "binary:logistic",
        "eval_metric": "logloss",
        "eta": 0.1,
        "max_depth": 4,
        "subsample": 0.8,
        "seed": seed,
        "nthread": 1,
        "tree_method": "hist",
    }
    history = {}
    booster = xgb.train(
        params,
        matrix(train_frame),
        rounds,
        evals=[(matrix(test_frame), "holdout")],
        evals_result=history,
        verbose_eval=20,
    )
    return booster, history["holdout"]["logloss"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=6000)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--holdout", type=int, default=20, help="percent")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    np.random.seed(args.seed)
    frame = to_frame(collect(args.events, args.seed))
    train_frame, test_frame = split(frame, args.holdout)
    booster, history = train(train_frame, test_frame, args.rounds, args.seed)
    p = booster.predict(matrix(test_frame))
    metrics = {
        "auc": roc_auc_score(test_frame["clicked"], p),
        "logloss": log_loss(test_frame["clicked"], p),
        "best_round": int(np.argmin(history)),
    }
    print("auc %(auc).6f logloss %(logloss).6f best round %(best_round)d" % metrics)
    booster.save_model("ctr.json")
    with open("metrics.json", "w") as f:
        json.dump(metrics, f, indent=2, default=float)


if __name__ == "__main__":
    main()
