"""Demand model: order history up to today, features relative to the current date, rolling backtest."""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import xgboost as xgb
from sklearn.metrics import mean_absolute_error


def orders(n=6000):
    """the warehouse's dump, 2026-01-01 .. 2026-12-31"""
    rng = np.random.default_rng(5)
    days = rng.integers(0, 365, n)
    df = pd.DataFrame({
        "date": pd.Timestamp("2026-01-01") + pd.to_timedelta(days, unit="D"),
        "sku": rng.integers(0, 20, n),
        "price": rng.gamma(3, 10, n).round(2),
    })
    base = 5 + df.sku * 0.3 + 4 * np.sin(2 * np.pi * days / 365) - 0.05 * df.price
    df["qty"] = rng.poisson(np.clip(base, 0.1, None))
    return df.sort_values("date", kind="stable").reset_index(drop=True)


def add_features(df, now):
    out = df.copy()
    out["age_days"] = (now - out.date) / pd.Timedelta(days=1)
    out["dow"] = out.date.dt.dayofweek
    out["month"] = out.date.dt.month
    out["recency_weight"] = np.exp(-out.age_days.clip(lower=0) / 90)
    out["sku_mean"] = out.groupby("sku").qty.transform(lambda s: s.shift().rolling(20, min_periods=1).mean())
    return out.fillna({"sku_mean": 0.0})


class Backtest:
    features = ["sku", "price", "age_days", "dow", "month", "sku_mean"]

    def __init__(self, horizon, rounds):
        self.horizon = horizon
        self.rounds = rounds
        self.timings = []

    def run(self, df, cutoff):
        t = time.perf_counter()
        train = df[df.date < cutoff]
        test = df[(df.date >= cutoff) & (df.date < cutoff + pd.Timedelta(days=self.horizon))]
        d = xgb.DMatrix(train[self.features], train.qty, weight=train.recency_weight)
        bst = xgb.train({"max_depth": 4, "eta": 0.15, "nthread": 1, "seed": 1, "objective": "count:poisson"},
                        d, self.rounds)
        mae = mean_absolute_error(test.qty, bst.predict(xgb.DMatrix(test[self.features])))
        self.timings.append(time.perf_counter() - t)
        return {"cutoff": str(cutoff.date()), "n": len(test), "mae": float(mae)}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--horizon", type=int, default=28)
    ap.add_argument("--folds", type=int, default=3)
    ap.add_argument("--rounds", type=int, default=40)
    ap.add_argument("--out", type=Path, default=Path("backtest"))
    args = ap.parse_args()
    args.out.mkdir(exist_ok=True)
    today = pd.Timestamp.now()
    df = add_features(orders(), today)
    last = pd.Timestamp("2026-11-01")
    bt = Backtest(args.horizon, args.rounds)
    rows = [bt.run(df, last - pd.Timedelta(days=args.horizon * k)) for k in range(args.folds)]
    for r in rows:
        print(f"{r['cutoff']}: n={r['n']} mae={r['mae']:.8f}")
    print("mean mae %.8f" % np.mean([r["mae"] for r in rows]))
    print("slowest fold %.2fs" % max(bt.timings))
    (args.out / "folds.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
