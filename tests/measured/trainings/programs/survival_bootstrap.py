"""Weibull survival model: maximum likelihood and bootstrap intervals, computed with a pool of processes."""

import argparse
import json
import multiprocessing
import os
import sys
import time

import numpy as np


def weibull_data(n, seed):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=n), rng.integers(0, 2, n)])
    scale = np.exp(x @ np.array([1.5, -0.4, 0.6]))
    t = scale * rng.weibull(1.4, n)
    censor = rng.exponential(12.0, n)
    return x, np.minimum(t, censor), (t <= censor).astype(float)


def neg_log_likelihood(theta, x, t, event):
    k = np.exp(theta[0])
    z = k * (np.log(t) - x @ theta[1:])
    value = -(event * (np.log(k) - np.log(t) + z) - np.exp(z)).mean()
    common = event - np.exp(z)
    grad = np.empty_like(theta)
    grad[0] = -(event + common * z).mean()
    grad[1:] = (k * common) @ x / len(t)
    return value, grad


def fit(x, t, event, iterations=250, lr=0.4):
    """gradient descent with backtracking"""
    theta = np.zeros(x.shape[1] + 1)
    value, grad = neg_log_likelihood(theta, x, t, event)
    for _ in range(iterations):
        step = lr
        while step > 1e-8:
            trial = theta - step * grad
            new_value, new_grad = neg_log_likelihood(trial, x, t, event)
            if new_value < value - 1e-4 * step * grad @ grad:
                break
            step /= 2
        else:
            break
        theta, value, grad = trial, new_value, new_grad
    return theta, value


_data = None


def init_worker(*data):
    global _data
    _data = data


def one_replicate(task):
    number, sequence = task
    began = time.process_time()
    x, t, event = _data
    pick = np.random.default_rng(sequence).integers(0, len(t), len(t))
    theta, _ = fit(x[pick], t[pick], event[pick])
    return number, theta, os.getpid(), time.process_time() - began


def bootstrap(data, replicates, processes, seed):
    children = np.random.SeedSequence(seed).spawn(replicates)
    estimates = np.empty((replicates, data[0].shape[1] + 1))
    busy = {}
    with multiprocessing.Pool(processes, init_worker, data) as pool:
        for done, (number, theta, pid, cpu) in enumerate(
            pool.imap_unordered(one_replicate, enumerate(children), chunksize=4), 1
        ):
            estimates[number] = theta
            busy[pid] = busy.get(pid, 0.0) + cpu
            sys.stderr.write(f"\r{done}/{replicates} replicates")
    sys.stderr.write("\n")
    for pid, cpu in busy.items():
        print(f"worker {pid} used {cpu:.2f}s of CPU", file=sys.stderr)
    return estimates


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=1500)
    parser.add_argument("--replicates", type=int, default=120)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=6)
    args = parser.parse_args()
    data = weibull_data(args.n, args.seed)
    theta, value = fit(*data)
    print(f"censored: {1 - data[2].mean():.3f}, mean negative log-likelihood {value:.8f}")
    start = time.time()
    estimates = bootstrap(data, args.replicates, args.processes, args.seed)
    low, high = np.quantile(estimates, [0.025, 0.975], axis=0)
    names = ["log shape", "intercept", "biomarker", "treated"]
    rows = []
    for j, name in enumerate(names):
        rows.append({"name": name, "estimate": theta[j], "low": low[j], "high": high[j]})
        print(f"{name:10s} {theta[j]: .6f}  [{low[j]: .6f}, {high[j]: .6f}]")
    with open("estimates.json", "w") as f:
        json.dump(rows, f, indent=2)
    print(f"{args.replicates} replicates in {time.time() - start:.2f} seconds")


if __name__ == "__main__":
    main()
