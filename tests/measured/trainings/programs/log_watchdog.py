"""Hill-climbing search for a scheduling policy. A watchdog on the log stops a search that takes too long."""
import argparse
import json
import logging
import math
import random
from pathlib import Path

import numpy as np

log = logging.getLogger("search")


class SearchTimeout(Exception):
    pass


class Watchdog(logging.Handler):
    """every module logs its progress, so that here is the place to see that a search runs for too long"""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit
        self.first = None

    def emit(self, record):
        if self.first is None:
            self.first = record.created
        if record.created - self.first > self.limit:
            raise SearchTimeout(record.getMessage())


def setup(limit, out):
    log.setLevel(logging.DEBUG)
    fh = logging.FileHandler(out / "search.log", mode="w")
    fh.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log.addHandler(fh)
    log.addHandler(Watchdog(limit))


class JobShop:
    """jobs with a duration, a due date and a weight on a few machines"""

    def __init__(self, n=60, machines=4):
        self.dur = np.random.gamma(2.0, 3.0, n)
        self.due = np.random.uniform(5, 80, n)
        self.weight = np.random.choice([1.0, 2.0, 5.0], n)
        self.machines = machines

    def cost(self, order):
        free = [0.0] * self.machines
        total = 0.0
        for j in order:
            m = free.index(min(free))
            free[m] += self.dur[j]
            total += self.weight[j] * max(0.0, free[m] - self.due[j])
        return total


class Annealer:
    def __init__(self, problem, t0=50.0, alpha=0.9997):
        self.problem = problem
        self.order = list(np.argsort(problem.due))
        self.cost = problem.cost(self.order)
        self.best = (self.cost, list(self.order))
        self.temp, self.alpha = t0, alpha
        self.iters = 0

    def step(self):
        i, j = random.sample(range(len(self.order)), 2)
        cand = list(self.order)
        cand.insert(i, cand.pop(j))
        c = self.problem.cost(cand)
        if c < self.cost or random.random() < math.exp((self.cost - c) / self.temp):
            self.order, self.cost = cand, c
            if c < self.best[0]:
                self.best = (c, list(cand))
        self.temp *= self.alpha
        self.iters += 1

    def run(self, n):
        for k in range(n):
            self.step()
            if k % 200 == 0:
                log.debug("iteration %d cost %.4f best %.4f", k, self.cost, self.best[0])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--limit", type=float, default=1.5)
    ap.add_argument("--iters", type=int, default=2_000_000)
    ap.add_argument("--out", type=Path, default=Path("search"))
    args = ap.parse_args()
    args.out.mkdir(exist_ok=True)
    setup(args.limit, args.out)
    annealer = Annealer(JobShop())
    print(f"start cost {annealer.cost:.4f}")
    try:
        annealer.run(args.iters)
    except SearchTimeout as e:
        print("stopped at", str(e).split(" cost")[0])
    print(f"current {annealer.cost:.6f} best {annealer.best[0]:.6f}")
    (args.out / "best.json").write_text(json.dumps({"cost": annealer.best[0], "order": [int(i) for i in annealer.best[1]]}))


if __name__ == "__main__":
    main()
