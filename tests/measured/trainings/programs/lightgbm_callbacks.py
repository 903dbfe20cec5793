import os
import time
import json
import numpy as np
import pandas as pd
import lightgbm as lgb
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split

SEED = 2024
N_ROUNDS = 120
PARAMS = dict(objective="regression", metric="rmse", learning_rate=0.08, num_leaves=31,
              feature_fraction=0.8, bagging_fraction=0.8, bagging_freq=1, verbosity=-1, num_threads=1, seed=SEED)


def make_data():
    rng = np.random.RandomState(SEED)
    n = 4000
    X = pd.DataFrame(rng.randn(n, 12), columns=[f"f{i}" for i in range(12)])
    X["cat"] = pd.Categorical(rng.choice(list("abcdef"), n))
    y = 3 * X.f0 - 2 * X.f1 ** 2 + X.f2 * X.f3 + X["cat"].cat.codes * 0.5 + rng.randn(n) * 0.3
    return X, y


def timing_callback(period=20):
    """print how fast boosting goes"""
    state = {"last": time.time(), "begin": time.time()}

    def _callback(env):
        it = env.iteration + 1
        if it % period == 0:
            now = time.time()
            per_iter = (now - state["last"]) / period
            remain = (env.end_iteration - it) * per_iter
            score = env.evaluation_result_list[0][2]
            print(f"[{it}] valid rmse {score:.6f} | {per_iter * 1000:.1f} ms/iter | remaining {remain:.1f}s")
            state["last"] = now
    _callback.order = 30
    return _callback


class History:
    """keeps per-iteration metrics"""

    def __init__(self):
        self.rows = []
        self.t0 = time.perf_counter()

    def __call__(self, env):
        row = {"iter": env.iteration}
        for ds, metric, value, _ in env.evaluation_result_list:
            row[f"{ds}_{metric}"] = value
        row["elapsed"] = round(time.perf_counter() - self.t0, 3)
        self.rows.append(row)


def main():
    X, y = make_data()
    X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.2, random_state=SEED)
    dtr = lgb.Dataset(X_tr, y_tr)
    dva = lgb.Dataset(X_va, y_va, reference=dtr)
    hist = History()
    tic = time.time()
    booster = lgb.train(PARAMS, dtr, N_ROUNDS, valid_sets=[dva], valid_names=["valid"],
                        callbacks=[timing_callback(), hist, lgb.early_stopping(15, verbose=False)])
    toc = time.time()
    pred = booster.predict(X_va, num_iteration=booster.best_iteration)
    rmse = float(np.sqrt(mean_squared_error(y_va, pred)))
    print("best iteration:", booster.best_iteration)
    print("rmse: %.8f" % rmse)
    print("training took {:.2f} s".format(toc - tic))

    os.makedirs("output", exist_ok=True)
    booster.save_model("output/model.txt")
    pd.DataFrame(hist.rows).drop(columns="elapsed").to_csv("output/history.csv", index=False)
    imp = pd.Series(booster.feature_importance("gain"), index=X.columns).sort_values(ascending=False)
    imp.to_csv("output/importance.csv")
    with open("output/summary.json", "w") as fh:
        json.dump({"rmse": rmse, "best_iteration": booster.best_iteration, "params": PARAMS}, fh, indent=1)
    print(imp.head(5).to_string())


if __name__ == "__main__":
    main()
