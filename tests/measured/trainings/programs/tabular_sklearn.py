#!/usr/bin/env python
"""Churn model. Reads the customer table, fits a pipeline, stores the model."""
import json
import logging
import sys
import time
from datetime import datetime
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score, average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

MODEL_DIR = Path("models")
LOG_FORMAT = "%(asctime)s [%(process)d] %(levelname)s %(name)s: %(message)s"

logging.basicConfig(level=logging.INFO, format=LOG_FORMAT, stream=sys.stdout)
logger = logging.getLogger("churn")


def load_customers(n=3000):
    rng = np.random.default_rng()
    df = pd.DataFrame({
        "tenure": rng.integers(1, 72, n),
        "monthly": rng.normal(70, 25, n).round(2),
        "calls": rng.poisson(1.5, n),
        "plan": rng.choice(["basic", "plus", "pro"], n, p=[0.5, 0.3, 0.2]),
        "region": rng.choice(["north", "south", "east", "west"], n),
    })
    logit = -1.2 - 0.03 * df.tenure + 0.015 * df.monthly + 0.4 * df.calls - 0.7 * (df.plan == "pro")
    df["churn"] = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
    df.loc[rng.random(n) < 0.05, "monthly"] = np.nan
    return df


def build_pipeline(num, cat):
    pre = ColumnTransformer([
        ("num", Pipeline([("imp", SimpleImputer(strategy="median")), ("sc", StandardScaler())]), num),
        ("cat", OneHotEncoder(handle_unknown="ignore"), cat),
    ])
    return Pipeline([("pre", pre), ("clf", GradientBoostingClassifier(n_estimators=60, subsample=0.8))])


def main():
    t_start = time.perf_counter()
    logger.info("starting at %s", datetime.now())
    df = load_customers()
    logger.info("loaded %d rows in %.2fs", len(df), time.perf_counter() - t_start)

    X, y = df.drop(columns="churn"), df["churn"]
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y)

    pipe = build_pipeline(["tenure", "monthly", "calls"], ["plan", "region"])
    t_fit = time.perf_counter()
    pipe.fit(X_tr, y_tr)
    fit_seconds = time.perf_counter() - t_fit
    logger.info("fit took %.2f seconds", fit_seconds)

    proba = pipe.predict_proba(X_te)[:, 1]
    metrics = {
        "auc": round(float(roc_auc_score(y_te, proba)), 6),
        "ap": round(float(average_precision_score(y_te, proba)), 6),
        "n_train": len(X_tr),
        "fit_seconds": round(fit_seconds, 3),
        "trained_at": datetime.now().isoformat(timespec="seconds"),
    }
    MODEL_DIR.mkdir(parents=True, exist_ok=True)
    joblib.dump(pipe, MODEL_DIR / "churn.joblib", compress=3)
    with open(MODEL_DIR / "metrics.json", "w") as f:
        json.dump(metrics, f, indent=2)
    logger.info("auc=%.5f ap=%.5f", metrics["auc"], metrics["ap"])

    reloaded = joblib.load(MODEL_DIR / "churn.joblib")
    assert np.allclose(reloaded.predict_proba(X_te)[:, 1], proba)
    imp = pipe.named_steps["clf"].feature_importances_
    names = pipe.named_steps["pre"].get_feature_names_out()
    for name, value in sorted(zip(names, imp), key=lambda t: -t[1])[:5]:
        logger.info("  %-20s %.4f", name, value)
    logger.info("done in %.1fs", time.perf_counter() - t_start)


if __name__ == "__main__":
    main()
