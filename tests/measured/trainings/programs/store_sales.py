"""Daily sales of several shops: calendar and lag features, LightGBM, rolling-origin evaluation.

    python train.py --config config.json

Without a config file, the defaults are written to it.
"""

import argparse
import json
import platform
from datetime import datetime
from pathlib import Path
from timeit import default_timer as timer

import lightgbm as lgb
import numpy as np
import pandas as pd

DEFAULTS = {
    "shops": 6,
    "days": 500,
    "horizon": 28,
    "origins": 3,
    "lags": [7, 14, 28],
    "windows": [7, 28],
    "rounds": 80,
    "model": {
        "objective": "tweedie",
        "learning_rate": 0.08,
        "num_leaves": 24,
        "feature_fraction": 0.8,
        "bagging_fraction": 0.8,
        "bagging_freq": 1,
        "seed": 77,
        "num_threads": 1,
        "verbosity": -1,
    },
}


def load_config(path):
    if not path.exists():
        path.write_text(json.dumps(DEFAULTS, indent=2))
    return json.loads(path.read_text())


def simulate(cfg):
    rng = np.random.default_rng(2017)
    dates = pd.date_range("2021-01-01", periods=cfg["days"], freq="D")
    frames = []
    for shop in range(cfg["shops"]):
        level = rng.uniform(20, 80)
        week = 1 + 0.35 * np.sin(2 * np.pi * (dates.dayofweek + shop) / 7)
        year = 1 + 0.2 * np.cos(2 * np.pi * dates.dayofyear / 365.25)
        promo = rng.random(len(dates)) < 0.08
        mean = level * week * year * np.where(promo, 1.6, 1.0)
        frames.append(
            pd.DataFrame(
                {
                    "date": dates,
                    "shop": shop,
                    "promo": promo.astype(int),
                    "sales": rng.negative_binomial(20, 20 / (20 + mean)),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def add_features(df, cfg):
    df = df.sort_values(["shop", "date"]).reset_index(drop=True)
    by_shop = df.groupby("shop")["sales"]
    for lag in cfg["lags"]:
        df[f"lag_{lag}"] = by_shop.shift(lag)
    for window in cfg["windows"]:
        df[f"mean_{window}"] = by_shop.transform(
            lambda s: s.shift(cfg["horizon"]).rolling(window).mean()
        )
    df["lag_7"] = df["lag_7"].where(df["date"].dt.day % 2 == 0)  # delivered late on odd days
    df["dow"] = df["date"].dt.dayofweek
    df["month"] = df["date"].dt.month
    df["day"] = df["date"].dt.day
    df["shop"] = df["shop"].astype("category")
    return df.dropna(subset=[f"mean_{w}" for w in cfg["windows"]])


def wape(actual, forecast):
    return float(np.abs(actual - forecast).sum() / actual.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=Path("config.json"))
    args = parser.parse_args()
    cfg = load_config(args.config)
    print(f"started {datetime.now():%d.%m.%Y %H:%M:%S}, Python {platform.python_version()}")
    t_start = timer()
    df = add_features(simulate(cfg), cfg)
    features = [c for c in df.columns if c not in ("date", "sales")]
    last = df["date"].max()
    rows, booster = [], None
    for k in reversed(range(cfg["origins"])):
        origin = last - pd.Timedelta(days=cfg["horizon"] * (k + 1))
        train = df[df["date"] <= origin]
        test = df[
            (df["date"] > origin) & (df["date"] <= origin + pd.Timedelta(days=cfg["horizon"]))
        ]
        t = timer()
        booster = lgb.train(
            cfg["model"], lgb.Dataset(train[features], train["sales"]), cfg["rounds"]
        )
        forecast = booster.predict(test[features])
        naive = test["lag_28"]
        rows.append(
            {
                "origin": origin.date().isoformat(),
                "wape": wape(test["sales"], forecast),
                "wape_naive": wape(test["sales"], naive),
                "fit_s": round(timer() - t, 3),
            }
        )
        print("{origin}  model {wape:.6f}  naive {wape_naive:.6f}  [{fit_s}s]".format(**rows[-1]))
    table = pd.DataFrame(rows)
    table.to_csv("backtest.csv", index=False)
    booster.save_model("sales.txt")
    print("mean wape %.8f" % table["wape"].mean())
    print(f"total {timer() - t_start:.1f}s")


if __name__ == "__main__":
    main()
