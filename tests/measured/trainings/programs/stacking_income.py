"""Stacked classifier for a table of mixed columns; the grid is searched with two processes."""

import argparse
import hashlib
import logging
import sys
import time
from datetime import date

import joblib
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

RANDOM_STATE = 42
NUMERIC = ["age", "hours", "tenure", "debt"]
CATEGORICAL = ["job", "region"]


def get_logger():
    logger = logging.getLogger("income")
    logger.setLevel(logging.DEBUG)
    console = logging.StreamHandler(sys.stderr)
    file = logging.FileHandler("train.log", mode="w")
    for handler in (console, file):
        handler.setFormatter(
            logging.Formatter("%(asctime)s,%(msecs)03d %(levelname)-7s %(message)s")
        )
        logger.addHandler(handler)
    return logger


def make_table(n):
    rng = np.random.RandomState(RANDOM_STATE)
    df = pd.DataFrame(
        {
            "age": rng.normal(42, 12, n).clip(18, 80),
            "hours": rng.normal(38, 8, n).clip(5, 70),
            "tenure": rng.exponential(6, n),
            "debt": rng.lognormal(8, 1, n),
            "job": rng.choice(["clerk", "nurse", "driver", "engineer", "cook"], n),
            "region": rng.choice(["north", "south", "east", "west"], n),
        }
    )
    pay = {"clerk": 0.0, "nurse": 0.2, "driver": -0.3, "engineer": 1.0, "cook": -0.6}
    z = 0.04 * (df.age - 42) + 0.05 * (df.hours - 38) + df.job.map(pay) + 0.03 * df.tenure - 0.4
    y = (rng.rand(n) < 1 / (1 + np.exp(-z))).astype(int)
    for column in ("tenure", "debt"):
        df.loc[rng.rand(n) < 0.05, column] = np.nan
    return df, y


def build():
    numeric = Pipeline([("impute", SimpleImputer(strategy="median")), ("scale", StandardScaler())])
    categorical = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    prepare = ColumnTransformer([("num", numeric, NUMERIC), ("cat", categorical, CATEGORICAL)])
    stack = StackingClassifier(
        [
            ("rf", RandomForestClassifier(25, random_state=RANDOM_STATE, n_jobs=1)),
            ("nb", GaussianNB()),
            ("lr", LogisticRegression(max_iter=300)),
        ],
        final_estimator=LogisticRegression(),
        cv=3,
    )
    return Pipeline([("prepare", prepare), ("stack", stack)])


def search(x, y, jobs):
    grid = {"stack__rf__max_depth": [4, 8], "stack__lr__C": [0.1, 1.0]}
    gs = GridSearchCV(build(), grid, cv=3, scoring="roc_auc", n_jobs=jobs)
    return gs.fit(x, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1200)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    log = get_logger()
    log.info("run of %s with %s", date.today().isoformat(), vars(args))
    x, y = make_table(args.rows)
    digest = hashlib.sha256(pd.util.hash_pandas_object(x).values.tobytes()).hexdigest()
    log.debug("digest of the table %s", digest[:16])
    xtr, xte, ytr, yte = train_test_split(x, y, stratify=y, random_state=RANDOM_STATE)
    start = time.perf_counter()
    gs = search(xtr, ytr, args.jobs)
    log.info("search took %.1f s", time.perf_counter() - start)
    results = pd.DataFrame(gs.cv_results_)
    results.to_csv("cv_results.csv", index=False)
    print(results[["param_stack__rf__max_depth", "param_stack__lr__C", "mean_test_score"]])
    proba = gs.predict_proba(xte)[:, 1]
    print("best parameters", gs.best_params_)
    print("test auc %.8f" % roc_auc_score(yte, proba))
    print(classification_report(yte, proba > 0.5, digits=4))
    joblib.dump(gs.best_estimator_, "income.joblib", compress=3)


if __name__ == "__main__":
    main()
