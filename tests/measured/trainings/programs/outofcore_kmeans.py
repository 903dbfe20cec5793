#!/usr/bin/env python3
"""Out-of-core clustering of image patches: streams a memory map through MiniBatchKMeans.

The patches are read in chunks, as large as the machine allows at the moment, so that the same script
runs on laptops and on the big nodes.
"""

import argparse
import csv
import os
import time

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

N, SIDE, CLUSTERS = 60_000, 5, 12


def write_patches(path, seed):
    """edges of several orientations, plus noise"""
    rng = np.random.default_rng(seed)
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(N, SIDE * SIDE))
    labels = rng.integers(0, CLUSTERS, N)
    yy, xx = np.mgrid[0:SIDE, 0:SIDE] - SIDE // 2
    for k in range(CLUSTERS):
        angle = np.pi * k / CLUSTERS
        template = np.tanh(np.cos(angle) * xx + np.sin(angle) * yy).ravel()
        members = np.flatnonzero(labels == k)
        gain = rng.uniform(0.6, 1.4, (len(members), 1))
        noise = rng.normal(0, 0.55, (len(members), SIDE * SIDE))
        out[members] = gain * template + noise
    out.flush()
    return labels


def chunk_rows(row_bytes, fraction, at_least=500, at_most=20_000):
    """how many rows fit into the share of the memory that we allow ourselves"""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    rows = int(free * fraction / row_bytes)
    return max(at_least, min(at_most, rows))


def chunks(path, rows):
    patches = np.load(path, mmap_mode="r")
    for start in range(0, len(patches), rows):
        yield np.asarray(patches[start : start + rows])


def fit(path, rows, passes, seed):
    scaler = StandardScaler()
    for chunk in chunks(path, rows):
        scaler.partial_fit(chunk)
    model = MiniBatchKMeans(CLUSTERS, random_state=seed, n_init=1, batch_size=1024)
    history = []
    for number in range(passes):
        tic = time.perf_counter()
        for chunk in tqdm(chunks(path, rows), desc=f"pass {number}", unit="chunk"):
            model.partial_fit(scaler.transform(chunk))
        history.append({"pass": number, "seconds": round(time.perf_counter() - tic, 3)})
    return scaler, model, history


def evaluate(path, scaler, model, labels):
    patches = scaler.transform(np.load(path))
    inertia = -model.score(patches) / len(patches)
    return inertia, adjusted_rand_score(labels, model.predict(patches))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fraction", type=float, default=4e-5, help="share of the memory")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    np.random.seed(args.seed)
    labels = write_patches("patches.npy", args.seed)
    rows = chunk_rows(SIDE * SIDE * 4, args.fraction)
    scaler, model, history = fit("patches.npy", rows, args.passes, args.seed)
    inertia, ari = evaluate("patches.npy", scaler, model, labels)
    with open("passes.csv", "w", newline="") as f:
        writer = csv.DictWriter(f, fieldnames=["pass", "seconds"])
        writer.writeheader()
        writer.writerows(history)
    print(f"mean inertia {inertia:.8f}, adjusted rand {ari:.6f}")
    np.save("centres.npy", model.cluster_centers_)
    os.remove("patches.npy")


if __name__ == "__main__":
    main()
