"""Customer lifetime value, cross-validated so that all orders of a customer are in the same fold."""

import json
import time
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pandas as pd

N_CUSTOMERS = 400
N_FOLDS = 5
OUT = Path("clv")

PARAMS = {
    "objective": "regression",
    "learning_rate": 0.1,
    "num_leaves": 15,
    "min_child_samples": 10,
    "seed": 11,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


class Customer:
    def __init__(self, number, rng):
        self.number = number
        self.segment = rng.choice(["private", "trade", "public"], p=[0.6, 0.3, 0.1])
        self.age_days = int(rng.integers(30, 2000))
        self.loyalty = rng.beta(2, 3)
        self.orders = []

    def order(self, rng):
        amount = float(np.exp(rng.normal(3.2 + 0.8 * self.loyalty, 0.5)))
        if self.segment != "private":
            amount *= 2.5
        channel = rng.choice(["web", "shop", "phone"])
        self.orders.append({"amount": amount, "channel": channel, "items": int(rng.poisson(2) + 1)})

    @property
    def fold(self):
        return hash(self) % N_FOLDS


def make_customers(seed):
    rng = np.random.default_rng(seed)
    customers = [Customer(n, rng) for n in range(N_CUSTOMERS)]
    for customer in customers:
        for _ in range(int(rng.poisson(2 + 8 * customer.loyalty)) + 1):
            customer.order(rng)
    return customers


def to_frame(customers):
    rows = []
    for c in customers:
        so_far = 0.0
        future = sum(o["amount"] for o in c.orders)
        for k, o in enumerate(c.orders):
            so_far += o["amount"]
            rows.append(
                {
                    "customer": c.number,
                    "fold": c.fold,
                    "segment": c.segment,
                    "age_days": c.age_days,
                    "n_orders": k + 1,
                    "spent": so_far,
                    **o,
                    "target": np.log1p(future - so_far),
                }
            )
    frame = pd.DataFrame(rows)
    for column in ("segment", "channel"):
        frame[column] = frame[column].astype("category")
    return frame


def cross_validate(frame):
    features = ["segment", "age_days", "n_orders", "spent", "amount", "channel", "items"]
    oof = np.zeros(len(frame))
    for fold in range(N_FOLDS):
        tic = time.time()
        held = (frame["fold"] == fold).to_numpy()
        train = lgb.Dataset(frame.loc[~held, features], frame.loc[~held, "target"])
        booster = lgb.train(PARAMS, train, 60)
        oof[held] = booster.predict(frame.loc[held, features])
        error = np.sqrt(np.mean((oof[held] - frame.loc[held, "target"]) ** 2))
        print(f"fold {fold} rmse {error:.6f}")
        print(f"  fitted in {time.time() - tic:.2f}s")
    return oof


def main():
    np.random.seed(0)
    OUT.mkdir(exist_ok=True)
    frame = to_frame(make_customers(seed=3))
    print(f"{len(frame)} orders of {frame['customer'].nunique()} customers")
    oof = cross_validate(frame)
    rmse = float(np.sqrt(np.mean((oof - frame["target"]) ** 2)))
    by_segment = (
        frame.assign(err=(oof - frame["target"]).abs()).groupby("segment", observed=True)["err"]
    ).mean()
    frame[["customer", "target"]].assign(oof=oof).to_csv(OUT / "oof.csv", index=False)
    (OUT / "metrics.json").write_text(json.dumps({"rmse": rmse, "mae": by_segment.to_dict()}))
    print(f"overall rmse {rmse:.8f}")


if __name__ == "__main__":
    main()
