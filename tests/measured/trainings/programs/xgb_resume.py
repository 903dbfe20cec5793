"""Gradient boosting in two sessions: the second goes on from the checkpoint of the first."""

import argparse
import configparser
import datetime as dt
import os
import shutil
import time
import uuid

import numpy as np
import xgboost as xgb
from sklearn.datasets import make_friedman1
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import KFold

CONFIG = """
[data]
rows = 2500
noise = 1.0
seed = 12

[boosting]
max_depth = 5
eta = 0.12
subsample = 0.7
colsample_bytree = 0.8
seed = 12
nthread = 1

[session]
rounds = 40
every = 20
"""


class CheckpointEvery(xgb.callback.TrainingCallback):
    def __init__(self, folder, every):
        self.folder, self.every = folder, every
        self.last = time.monotonic()

    def after_iteration(self, model, epoch, evals_log):
        rounds = model.num_boosted_rounds()
        if rounds % self.every == 0:
            path = os.path.join(self.folder, f"{rounds:05d}.ubj")
            model.save_model(path)
            score = evals_log["valid"]["rmse"][-1]
            now = time.monotonic()
            print(f"round {rounds}: rmse {score:.6f} -> {os.path.basename(path)}")
            print(f"    {(now - self.last) / self.every * 1e3:.2f} ms per round")
            self.last = now
        return False


def read_config(path):
    config = configparser.ConfigParser()
    config.read_string(CONFIG)
    config.read(path)
    return config


def booster_params(config):
    section = config["boosting"]
    params = {k: float(v) if "." in v else int(v) for k, v in section.items()}
    params.update(objective="reg:squarederror", tree_method="hist", eval_metric="rmse")
    return params


def session(params, train, valid, rounds, every, folder, resume_from=None):
    return xgb.train(
        params,
        train,
        rounds,
        evals=[(valid, "valid")],
        xgb_model=resume_from,
        callbacks=[CheckpointEvery(folder, every)],
        verbose_eval=False,
    )


def cross_check(params, x, y, rounds):
    """the same settings in a 3-fold cross-validation"""
    errors = []
    for train, test in KFold(3, shuffle=True, random_state=0).split(x):
        booster = xgb.train(params, xgb.DMatrix(x[train], y[train]), rounds)
        errors.append(mean_absolute_error(y[test], booster.predict(xgb.DMatrix(x[test]))))
    return np.mean(errors), np.std(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", default="train.ini")
    args = parser.parse_args()
    config = read_config(args.config)
    data = config["data"]
    x, y = make_friedman1(
        data.getint("rows"), noise=data.getfloat("noise"), random_state=data.getint("seed")
    )
    cut = int(0.8 * len(y))
    train, valid = xgb.DMatrix(x[:cut], y[:cut]), xgb.DMatrix(x[cut:], y[cut:])
    folder = "checkpoints"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    run_id = uuid.uuid4().hex[:8]
    print(f"run {run_id} of {dt.datetime.now(dt.timezone.utc):%Y-%m-%d %H:%M} UTC")
    params = booster_params(config)
    rounds, every = config["session"].getint("rounds"), config["session"].getint("every")
    session(params, train, valid, rounds, every, folder)
    last = os.path.join(folder, max(os.listdir(folder)))
    booster = session(params, train, valid, rounds, every, folder, resume_from=last)
    pred = booster.predict(valid)
    print(f"{booster.num_boosted_rounds()} rounds, r2 {r2_score(y[cut:], pred):.8f}")
    gain = booster.get_score(importance_type="gain")
    for name, value in sorted(gain.items(), key=lambda item: -item[1])[:5]:
        print(f"{name:4s} {value:.4f}")
    mean, std = cross_check(params, x, y, rounds)
    print(f"cross-validated error {mean:.8f} +- {std:.8f}")
    with open("runs.txt", "w") as f:
        f.write(f"{run_id} {time.time():.0f} {mean:.8f}\n")


if __name__ == "__main__":
    main()
