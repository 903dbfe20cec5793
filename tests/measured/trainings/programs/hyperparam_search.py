"""Randomised search over an SVM pipeline; leaderboard is stored as CSV and the best model pickled."""
import logging
import pickle
import warnings
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import loguniform, randint
from sklearn.datasets import make_moons, load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
OUT = Path("search_results")


def setup_logging():
    OUT.mkdir(exist_ok=True)
    fmt = logging.Formatter("{asctime} | {levelname:<7} | {message}", style="{", datefmt="%Y-%m-%d %H:%M:%S")
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    for h in (logging.StreamHandler(), logging.FileHandler(OUT / "search.log", mode="w")):
        h.setFormatter(fmt)
        root.addHandler(h)


SPACES = {
    "svm": (
        Pipeline([("sc", StandardScaler()), ("pca", PCA()), ("clf", SVC())]),
        {"pca__n_components": randint(4, 20), "clf__C": loguniform(1e-1, 1e2), "clf__gamma": loguniform(1e-4, 1e-1)},
        12,
    ),
    "rf": (
        RandomForestClassifier(n_jobs=1),
        {"n_estimators": randint(20, 60), "max_depth": randint(2, 10), "min_samples_leaf": randint(1, 6)},
        6,
    ),
}


def run_search(name, X, y):
    est, space, n_iter = SPACES[name]
    began = datetime.now()
    search = RandomizedSearchCV(est, space, n_iter=n_iter, cv=StratifiedKFold(4, shuffle=True), n_jobs=2,
                                scoring="accuracy", refit=True)
    search.fit(X, y)
    took = (datetime.now() - began).total_seconds()
    logging.info("%s: %d candidates in %.1fs, best cv accuracy %.6f", name, n_iter, took, search.best_score_)
    res = pd.DataFrame(search.cv_results_)
    res.insert(0, "model", name)
    return search, res


def main():
    setup_logging()
    X, y = load_breast_cancer(return_X_y=True)
    Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.2, stratify=y)
    boards, best = [], None
    for name in SPACES:
        search, res = run_search(name, Xtr, ytr)
        boards.append(res)
        if best is None or search.best_score_ > best[1].best_score_:
            best = (name, search)
    board = pd.concat(boards, ignore_index=True)
    cols = ["model", "mean_test_score", "std_test_score", "params"]
    board = board.sort_values("mean_test_score", ascending=False, kind="stable")
    board[cols].to_csv(OUT / "leaderboard.csv", index=False)
    total_fit = (board["mean_fit_time"] * 4).sum()
    logging.info("total fit time over all folds: %.2f s", total_fit)
    name, search = best
    acc = search.best_estimator_.score(Xte, yte)
    print(f"best model {name}, params {search.best_params_}")
    print(f"test accuracy {acc:.6f}")
    with open(OUT / f"best_{name}.pkl", "wb") as f:
        pickle.dump(search.best_estimator_, f)


if __name__ == "__main__":
    main()
