"""Pick a model by score minus a small penalty for how long it takes to fit (daily retraining has to be cheap)."""
import json
import logging
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_validate, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
LOG = logging.getLogger("select")
OUT = Path("selected")
SECONDS_WEIGHT = 0.5


def candidates():
    yield "nb", GaussianNB()
    yield "logreg", make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    yield "poly", make_pipeline(StandardScaler(), PolynomialFeatures(2), LogisticRegression(C=0.05, max_iter=300))
    for n in (20, 24, 28, 32, 36, 40):
        yield f"rf{n}", RandomForestClassifier(n, max_depth=8, random_state=n)
        yield f"et{n}", ExtraTreesClassifier(n, max_depth=10, random_state=n)
    yield "gb", GradientBoostingClassifier(n_estimators=30, random_state=0)


def data():
    X, y = make_classification(1500, 16, n_informative=7, n_redundant=3, class_sep=0.7, flip_y=0.08, random_state=8)
    return train_test_split(pd.DataFrame(X).add_prefix("v"), y, test_size=0.3, random_state=8)


def evaluate(X, y):
    rows = []
    for name, est in candidates():
        cv = cross_validate(est, X, y, cv=3, scoring="roc_auc")
        rows.append({"name": name, "auc": cv["test_score"].mean(), "std": cv["test_score"].std(),
                     "seconds": cv["fit_time"].mean()})
        LOG.info("%-8s auc %.5f", name, rows[-1]["auc"])
    table = pd.DataFrame(rows)
    table["utility"] = table.auc - SECONDS_WEIGHT * table.seconds
    return table


def main():
    OUT.mkdir(exist_ok=True)
    Xtr, Xte, ytr, yte = data()
    table = evaluate(Xtr, ytr)
    order = table.sort_values("utility", ascending=False)
    ranked = order.name.tolist()
    LOG.info("three best: %s", ranked[:3])
    models = dict(candidates())
    blend = np.mean([models[n].fit(Xtr, ytr).predict_proba(Xte)[:, 1] for n in ranked[:3]], axis=0)
    auc = roc_auc_score(yte, blend)
    print(f"blend of the three best: test auc {auc:.8f}")
    table[["name", "auc", "std"]].to_csv(OUT / "table.csv", index=False, float_format="%.6f")
    with open(OUT / "result.json", "w") as f:
        json.dump({"models": ranked[:3], "auc": auc}, f)


if __name__ == "__main__":
    main()
