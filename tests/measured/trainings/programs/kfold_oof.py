# kaggle-style k-fold with out-of-fold predictions
import gc
import os
import random
import time
from contextlib import contextmanager

import lightgbm as lgb
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold


class CFG:
    exp = "exp013"
    seed = 42
    n_folds = 5
    lr = 0.05
    rounds = 80
    target = "target"


@contextmanager
def timer(name):
    t0 = time.time()
    print(f"[{name}] start")
    yield
    print(f"[{name}] done in {time.time() - t0:.0f} s")


def seed_everything(seed):
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    np.random.seed(seed)


def make_frames():
    n, m = 4000, 1000
    df = pd.DataFrame(np.random.randn(n + m, 8), columns=[f"num_{i}" for i in range(8)])
    df["city"] = np.random.choice([f"c{i}" for i in range(25)], n + m)
    df["device"] = np.random.choice(["ios", "android", "web"], n + m)
    z = df.num_0 - 0.7 * df.num_1 + df.num_2 * df.num_3 + (df.device == "ios") * 0.8
    df[CFG.target] = (np.random.rand(n + m) < 1 / (1 + np.exp(-z))).astype(int)
    return df[:n].copy(), df[n:].drop(columns=CFG.target).reset_index(drop=True)


def feature_engineering(train, test):
    full = pd.concat([train, test], ignore_index=True)
    for c in ("city", "device"):
        full[c + "_cnt"] = full.groupby(c)[c].transform("count")
        full[c] = full[c].astype("category").cat.codes
    full["num_mean"] = full[[f"num_{i}" for i in range(8)]].mean(axis=1)
    return full[:len(train)], full[len(train):].drop(columns=CFG.target).reset_index(drop=True)


def train_folds(train, test):
    feats = [c for c in train.columns if c != CFG.target]
    oof, pred = np.zeros(len(train)), np.zeros(len(test))
    scores, fold_times = [], []
    skf = StratifiedKFold(CFG.n_folds, shuffle=True, random_state=CFG.seed)
    for fold, (tr, va) in enumerate(skf.split(train, train[CFG.target])):
        start = time.time()
        params = dict(objective="binary", metric="auc", learning_rate=CFG.lr, num_leaves=15, verbosity=-1,
                      feature_fraction=0.8, seed=CFG.seed + fold, num_threads=1)
        model = lgb.train(params, lgb.Dataset(train[feats].iloc[tr], train[CFG.target].iloc[tr]), CFG.rounds)
        oof[va] = model.predict(train[feats].iloc[va])
        pred += model.predict(test[feats]) / CFG.n_folds
        scores.append(roc_auc_score(train[CFG.target].iloc[va], oof[va]))
        fold_times.append(time.time() - start)
        print(f"fold {fold}: auc {scores[-1]:.6f} ({fold_times[-1]:.1f}s)")
        model.save_model(f"{CFG.exp}_fold{fold}.txt")
        del model
        gc.collect()
    summary = pd.DataFrame({"fold": range(CFG.n_folds), "auc": scores, "minutes": np.array(fold_times) / 60})
    print(summary[["fold", "auc"]].to_string(index=False))
    print(f"mean fold time {np.mean(fold_times):.2f}s")
    return oof, pred, scores


def main():
    seed_everything(CFG.seed)
    with timer("load"):
        train, test = make_frames()
    with timer("features"):
        train, test = feature_engineering(train, test)
    with timer("train"):
        oof, pred, scores = train_folds(train, test)
    cv = roc_auc_score(train[CFG.target], oof)
    print(f"CV: {cv:.7f} +- {np.std(scores):.7f}")
    pd.DataFrame({"id": np.arange(len(test)), CFG.target: pred}).to_csv(f"submission_{CFG.exp}.csv", index=False)
    np.save(f"oof_{CFG.exp}.npy", oof)


if __name__ == "__main__":
    main()
