"""xgboost baseline for the credit table, with our standard progress callback"""
import argparse
import csv
import pathlib
import time
from timeit import default_timer as timer

import numpy as np
import xgboost as xgb
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split


class Progress(xgb.callback.TrainingCallback):
    def __init__(self, rounds, every=10):
        super().__init__()
        self.rounds = rounds
        self.every = every
        self._started = None
        self._ticks = []

    def before_training(self, model):
        self._started = timer()
        return model

    def after_iteration(self, model, epoch, evals_log):
        self._ticks.append(timer())
        if (epoch + 1) % self.every == 0:
            spent = self._ticks[-1] - self._started
            speed = (epoch + 1) / spent
            eta = (self.rounds - epoch - 1) / speed
            loss = evals_log["val"]["logloss"][-1]
            print(f"round {epoch + 1:4d}/{self.rounds}  val-logloss {loss:.6f}  {speed:.1f} it/s  eta {eta:.1f}s")
        return False

    def after_training(self, model):
        gaps = np.diff(self._ticks)
        print(f"median round: {np.median(gaps) * 1e3:.2f} ms, slowest {gaps.max() * 1e3:.2f} ms")
        return model


def parse():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--rounds", type=int, default=80)
    ap.add_argument("--depth", type=int, default=4)
    ap.add_argument("--eta", type=float, default=0.1)
    ap.add_argument("--out", type=pathlib.Path, default=pathlib.Path("results"))
    ap.add_argument("--seed", type=int, default=7)
    return ap.parse_args()


def main():
    args = parse()
    args.out.mkdir(exist_ok=True)
    started = time.strftime("%Y-%m-%d %H:%M:%S")
    print("started", started)
    X, y = make_classification(5000, 20, n_informative=8, n_redundant=4, flip_y=0.05, random_state=args.seed)
    X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.3, random_state=args.seed)
    dtrain, dval = xgb.DMatrix(X_tr, y_tr), xgb.DMatrix(X_va, y_va)
    params = {"objective": "binary:logistic", "eval_metric": "logloss", "max_depth": args.depth, "eta": args.eta,
              "subsample": 0.8, "colsample_bytree": 0.7, "seed": args.seed, "nthread": 1, "tree_method": "hist"}
    log = {}
    bst = xgb.train(params, dtrain, args.rounds, evals=[(dtrain, "train"), (dval, "val")], evals_result=log,
                    verbose_eval=False, callbacks=[Progress(args.rounds),
                                                   xgb.callback.EarlyStopping(20, save_best=False)])
    p = bst.predict(dval)
    auc, ll = roc_auc_score(y_va, p), log_loss(y_va, p)
    print(f"AUC {auc:.6f} logloss {ll:.6f}")
    with open(args.out / "curve.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["round", "train", "val"])
        for i, (a, b) in enumerate(zip(log["train"]["logloss"], log["val"]["logloss"])):
            w.writerow([i, a, b])
    with open(args.out / "runs.csv", "a", newline="") as f:
        csv.writer(f).writerow([started, args.rounds, args.depth, args.eta, f"{auc:.6f}", f"{ll:.6f}"])
    bst.save_model(args.out / "model.json")


if __name__ == "__main__":
    main()
