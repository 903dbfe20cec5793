"""Choose the SVM for the embedded device: as accurate as the best within one standard error, and cheap."""
import argparse
import json
import time
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC


def within_one_se(results):
    """index of the cheapest candidate whose score is within one standard error of the best"""
    mean = results["mean_test_score"]
    best = int(np.argmax(mean))
    se = results["std_test_score"][best] / np.sqrt(4)
    good = np.flatnonzero(mean >= mean[best] - se)
    cost = results["mean_score_time"][good]
    return int(good[np.argmin(cost)])


def build():
    return Pipeline([("scale", MinMaxScaler()), ("pca", PCA(random_state=0)), ("svc", SVC())])


def grid():
    return {"pca__n_components": [24, 28, 32, 36], "svc__C": [2.0, 4.0, 8.0], "svc__gamma": ["scale"]}


def report(search, out):
    res = pd.DataFrame(search.cv_results_)
    cols = ["param_pca__n_components", "param_svc__C", "mean_test_score", "std_test_score"]
    table = res[cols].sort_values("mean_test_score", ascending=False, kind="stable")
    table.to_csv(out / "grid.csv", index=False, float_format="%.6f")
    print(table.head(6).to_string(index=False))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", type=Path, default=Path("model"))
    ap.add_argument("--test-size", type=float, default=0.3)
    args = ap.parse_args()
    args.out.mkdir(exist_ok=True)
    start = time.time()
    X, y = load_digits(return_X_y=True)
    Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=args.test_size, random_state=1, stratify=y)
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    search = GridSearchCV(build(), grid(), cv=cv, refit=within_one_se, n_jobs=1)
    search.fit(Xtr, ytr)
    report(search, args.out)
    acc = accuracy_score(yte, search.best_estimator_.predict(Xte))
    n_sv = int(search.best_estimator_.named_steps["svc"].n_support_.sum())
    print(f"chosen {search.best_params_}")
    print(f"test accuracy {acc:.6f}, {n_sv} support vectors")
    print(f"search took {time.time() - start:.1f}s")
    joblib.dump(search.best_estimator_, args.out / "svm.joblib")
    (args.out / "result.json").write_text(json.dumps({"acc": acc, "params": search.best_params_, "n_sv": n_sv}))


if __name__ == "__main__":
    main()
