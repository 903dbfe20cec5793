"""Greedy ensemble of models that are fitted in parallel threads."""
import argparse
import logging
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
import pandas as pd
from sklearn.datasets import make_regression
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s")
log = logging.getLogger("ensemble")


def zoo():
    models = {}
    for a in (0.01, 0.1, 1.0, 10.0):
        models[f"ridge_{a}"] = Ridge(alpha=a)
        models[f"lasso_{a}"] = Lasso(alpha=a)
    for k in (3, 5, 9, 15):
        models[f"knn_{k}"] = KNeighborsRegressor(k)
    for d in (3, 5, 7, 9, 11):
        models[f"tree_{d}"] = DecisionTreeRegressor(max_depth=d, random_state=d)
    for n in (10, 20, 30):
        models[f"extra_{n}"] = ExtraTreesRegressor(n, random_state=n, n_jobs=1)
    return models


def fit_one(name, model, X, y):
    t = time.perf_counter()
    model.fit(X, y)
    log.info("%s fitted in %.3fs", name, time.perf_counter() - t)
    return model


def fit_zoo(X, y, workers):
    fitted = {}
    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(fit_one, n, m, X, y): n for n, m in zoo().items()}
        for fut in as_completed(futures):
            fitted[futures[fut]] = fut.result()
    return fitted


def running_blend(fitted, X, y, keep=0.6):
    """a model joins if it makes the blend so far better"""
    blend, members = None, []
    for name, model in fitted.items():
        p = model.predict(X)
        trial = p if blend is None else keep * blend + (1 - keep) * p
        if blend is None or mean_squared_error(y, trial) < mean_squared_error(y, blend):
            blend = trial
            members.append(name)
    return members, blend


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=4)
    args = ap.parse_args()
    X, y = make_regression(1500, 12, n_informative=6, noise=15.0, random_state=3)
    y = y + 40 * np.sin(X[:, 0]) * X[:, 1]
    Xtr, Xva, ytr, yva = train_test_split(X, y, random_state=3)
    fitted = fit_zoo(Xtr, ytr, args.workers)
    members, blend = running_blend(fitted, Xva, yva)
    rmse = mean_squared_error(yva, blend) ** 0.5
    print(f"{len(members)} members, validation rmse {rmse:.8f}")
    print("members:", ", ".join(members))
    pd.DataFrame({"y": yva, "blend": blend}).to_csv("blend.csv", index=False, float_format="%.8f")


if __name__ == "__main__":
    main()
