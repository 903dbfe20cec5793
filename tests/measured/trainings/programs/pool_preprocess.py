"""Feature extraction with a process pool, then logistic regression."""
import argparse
import multiprocessing as mp
import os
import time
from functools import partial

import numpy as np
from scipy import signal, stats
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

N_CLASSES = 4


def synth(idx, length=512, base_seed=11):
    """one recording; the seed depends only on its number"""
    rng = np.random.default_rng(base_seed * 100003 + idx)
    cls = idx % N_CLASSES
    t = np.arange(length) / 128.0
    x = np.sin(2 * np.pi * (3 + 4 * cls) * t + rng.uniform(0, 2 * np.pi))
    x += 0.5 * np.sin(2 * np.pi * (20 + cls) * t) + rng.normal(0, 1.8, length)
    return x, cls


def extract(idx, length):
    x, cls = synth(idx, length)
    f, p = signal.welch(x, fs=128, nperseg=128)
    bands = [p[(f >= a) & (f < b)].mean() for a, b in ((1, 4), (4, 8), (8, 12), (12, 20), (20, 40))]
    feats = np.array([x.std(), stats.skew(x), stats.kurtosis(x), np.abs(np.diff(x)).mean(), *np.log(bands)])
    return feats, cls


def init_worker():
    os.environ["OMP_NUM_THREADS"] = "1"
    np.seterr(all="ignore")


def build_features(n, length, workers):
    start = time.perf_counter()
    feats, labels = [], []
    with mp.Pool(workers, initializer=init_worker) as pool:
        for i, (f, c) in enumerate(pool.imap(partial(extract, length=length), range(n), chunksize=32)):
            feats.append(f)
            labels.append(c)
            if (i + 1) % 200 == 0:
                rate = (i + 1) / (time.perf_counter() - start)
                print(f"  {i + 1}/{n} recordings, {rate:.0f} rows/s")
    print(f"features done in {time.perf_counter() - start:.2f}s with {workers} workers")
    return np.array(feats), np.array(labels)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("-n", type=int, default=800)
    ap.add_argument("--length", type=int, default=512)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--C", type=float, default=1.0)
    args = ap.parse_args()

    X, y = build_features(args.n, args.length, args.workers)
    np.save("features.npy", X)
    Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
    sc = StandardScaler().fit(Xtr)
    t0 = time.perf_counter()
    clf = LogisticRegression(C=args.C, max_iter=500).fit(sc.transform(Xtr), ytr)
    t1 = time.perf_counter()
    pred = clf.predict(sc.transform(Xte))
    print("fit: %.3f s" % (t1 - t0))
    print(classification_report(yte, pred, digits=4))
    print(f"macro f1 = {f1_score(yte, pred, average='macro'):.6f}")
    np.savetxt("coef.txt", clf.coef_, fmt="%.8f")


if __name__ == "__main__":
    main()
