"""Agent-based epidemic simulation over a parameter grid with a process pool, then a surrogate fit."""
import concurrent.futures as cf
import itertools
import json
import logging
import os
import platform
import time
from dataclasses import dataclass

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(processName)s %(message)s")
log = logging.getLogger("sim")


@dataclass(frozen=True)
class Scenario:
    beta: float
    gamma: float
    vaccinated: float
    seed: int
    n: int = 400
    steps: int = 60


def simulate(sc: Scenario):
    t0 = time.perf_counter()
    rng = np.random.default_rng(sc.seed)
    state = np.zeros(sc.n, int)
    state[rng.random(sc.n) < sc.vaccinated] = 2
    state[rng.choice(np.flatnonzero(state == 0), 4, replace=False)] = 1
    peak = 0
    for _ in range(sc.steps):
        infected = np.flatnonzero(state == 1)
        peak = max(peak, len(infected))
        if len(infected) == 0:
            break
        contacts = rng.integers(0, sc.n, (len(infected), 5)).ravel()
        hit = contacts[rng.random(len(contacts)) < sc.beta]
        state[hit[state[hit] == 0]] = 1
        state[infected[rng.random(len(infected)) < sc.gamma]] = 2
    return {"beta": sc.beta, "gamma": sc.gamma, "vacc": sc.vaccinated, "peak": peak / sc.n,
            "attack": float((state == 2).mean()) - sc.vaccinated, "cpu": time.perf_counter() - t0}


def grid(reps=4, root_seed=99):
    combos = list(itertools.product((0.05, 0.1, 0.2), (0.1, 0.2), (0.0, 0.3, 0.5)))
    seeds = np.random.SeedSequence(root_seed).generate_state(len(combos) * reps)
    return [Scenario(*c, seed=int(seeds[i * reps + r])) for i, c in enumerate(combos) for r in range(reps)]


def run_all(scenarios, workers=2):
    t0 = time.time()
    with cf.ProcessPoolExecutor(max_workers=workers) as ex:
        results = list(ex.map(simulate, scenarios, chunksize=6))
    wall = time.time() - t0
    cpu = sum(r["cpu"] for r in results)
    log.info("%d scenarios, wall %.2fs, cpu %.2fs, speed-up %.2f", len(results), wall, cpu, cpu / wall)
    return results


def surrogate(results):
    X = np.array([[r["beta"], r["gamma"], r["vacc"]] for r in results])
    y = np.array([r["attack"] for r in results])
    X = (X - X.mean(0)) / X.std(0)
    idx = np.random.permutation(len(X))
    tr, te = idx[:54], idx[54:]
    gp = GaussianProcessRegressor(RBF([1.0] * 3) + WhiteKernel(0.01), normalize_y=True).fit(X[tr], y[tr])
    return float(gp.score(X[te], y[te])), str(gp.kernel_)


def main():
    log.info("python %s on %s, pid %d", platform.python_version(), platform.node(), os.getpid())
    scenarios = grid()
    results = run_all(scenarios)
    for r in results:
        r.pop("cpu")
    with open("results.json", "w") as f:
        json.dump(results, f)
    r2, kernel = surrogate(results)
    print("mean attack rate %.6f" % np.mean([r["attack"] for r in results]))
    print("surrogate r2 %.6f kernel %s" % (r2, kernel))


if __name__ == "__main__":
    main()
