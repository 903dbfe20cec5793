"""Stochastic volatility: parameters by grid search over particle filter likelihoods, in a few threads."""

import argparse
import itertools
import pathlib
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

TRUE = {"phi": 0.95, "sigma": 0.25, "beta": 0.6}


def simulate(steps, seed):
    rng = np.random.RandomState(seed)
    h = np.zeros(steps)
    for t in range(1, steps):
        h[t] = TRUE["phi"] * h[t - 1] + TRUE["sigma"] * rng.randn()
    return TRUE["beta"] * np.exp(h / 2) * rng.randn(steps), h


def systematic(weights, u):
    positions = (np.arange(len(weights)) + u) / len(weights)
    return np.minimum(np.searchsorted(np.cumsum(weights), positions), len(weights) - 1)


def particle_filter(y, phi, sigma, beta, particles, seed):
    """log-likelihood and filtered mean of the log-volatility"""
    rng = np.random.RandomState(seed)
    h = sigma / np.sqrt(1 - phi**2) * rng.randn(particles)
    log_likelihood, means = 0.0, np.empty(len(y))
    for t, value in enumerate(y):
        h = phi * h + sigma * rng.randn(particles)
        log_w = -0.5 * (np.log(2 * np.pi * beta**2) + h + value**2 / (beta**2 * np.exp(h)))
        top = log_w.max()
        w = np.exp(log_w - top)
        log_likelihood += top + np.log(w.mean())
        w /= w.sum()
        means[t] = w @ h
        h = h[systematic(w, rng.rand())]
    return log_likelihood, means


class Progress:
    def __init__(self, total):
        self.total, self.done = total, 0
        self.lock = threading.Lock()
        self.start = time.perf_counter()

    def tick(self):
        with self.lock:
            self.done += 1
            if self.done % 9 == 0:
                rate = self.done / (time.perf_counter() - self.start)
                print(f"{self.done}/{self.total} points, {rate:.1f} it/s")


def grid_search(y, args, progress):
    grid = list(
        itertools.product(
            np.linspace(0.85, 0.98, 4), np.linspace(0.1, 0.4, 3), np.linspace(0.4, 0.8, 3)
        )
    )

    def evaluate(numbered):
        number, (phi, sigma, beta) = numbered
        value, _ = particle_filter(y, phi, sigma, beta, args.particles, args.seed + number)
        progress.tick()
        return value

    with ThreadPoolExecutor(args.threads, thread_name_prefix="pf") as pool:
        values = list(pool.map(evaluate, enumerate(grid)))
    return grid, np.array(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--particles", type=int, default=300)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1000)
    args = parser.parse_args()
    np.random.seed(args.seed)
    y, h = simulate(args.steps, args.seed)
    grid, values = grid_search(y, args, Progress(36))
    order = values.argsort()[::-1]
    for k in order[:3]:
        phi, sigma, beta = grid[k]
        print(f"phi {phi:.4f} sigma {sigma:.3f} beta {beta:.2f} log-likelihood {values[k]:.6f}")
    best = grid[order[0]]
    begin = time.time()
    log_likelihood, means = particle_filter(y, *best, 4 * args.particles, args.seed)
    print(f"refined log-likelihood {log_likelihood:.8f}")
    print("correlation with the true volatility %.8f" % np.corrcoef(means, h)[0, 1])
    print("Filter took: %s" % time.strftime("%Mm%Ss", time.gmtime(time.time() - begin)))
    posterior = np.exp(values - values.max())
    posterior /= posterior.sum()
    estimate = posterior @ np.array(grid)
    print("posterior mean", np.array2string(estimate, precision=6))
    pathlib.Path("posterior.pkl").write_bytes(
        pickle.dumps({"grid": grid, "posterior": posterior, "created": time.ctime()})
    )


if __name__ == "__main__":
    main()
