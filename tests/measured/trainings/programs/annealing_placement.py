"""Placement of modules on a chip: simulated annealing that cools down as the CPU budget is used up."""

import argparse
import json
import math
import random
import resource

import numpy as np


def netlist(modules, nets, seed):
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(nets):
        size = int(rng.integers(2, 5))
        centre = rng.integers(0, modules)
        members = (centre + rng.geometric(0.15, size)) % modules
        result.append(sorted({int(m) for m in members} | {int(centre)}))
    return result


class Placement:
    def __init__(self, side, nets, rng):
        self.side, self.nets, self.rng = side, nets, rng
        cells = [(x, y) for x in range(side) for y in range(side)]
        rng.shuffle(cells)
        self.pos = cells
        self.touching = [[] for _ in cells]
        for n, net in enumerate(nets):
            for m in net:
                self.touching[m].append(n)

    def length(self, n):
        xs = [self.pos[m][0] for m in self.nets[n]]
        ys = [self.pos[m][1] for m in self.nets[n]]
        return max(xs) - min(xs) + max(ys) - min(ys)

    def total(self):
        return sum(self.length(n) for n in range(len(self.nets)))

    def propose(self):
        a = self.rng.randrange(len(self.pos))
        b = self.rng.randrange(len(self.pos))
        affected = sorted(set(self.touching[a]) | set(self.touching[b]))
        before = sum(self.length(n) for n in affected)
        self.swap(a, b)
        return a, b, sum(self.length(n) for n in affected) - before

    def swap(self, a, b):
        self.pos[a], self.pos[b] = self.pos[b], self.pos[a]


class CpuSchedule:
    """Temperature from the share of the CPU budget that is left."""

    def __init__(self, hot, cold, budget):
        self.hot, self.cold, self.budget = hot, cold, budget
        self.begin = self.used()

    @staticmethod
    def used():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    def temperature(self):
        share = min(1.0, (self.used() - self.begin) / self.budget)
        return self.hot * (self.cold / self.hot) ** share


def anneal(placement, schedule, moves, rng):
    cost = placement.total()
    best, accepted, trace = cost, 0, []
    temperature = schedule.temperature()
    for move in range(moves):
        if move % 50 == 0:
            temperature = schedule.temperature()
        a, b, delta = placement.propose()
        if delta <= 0 or rng.random() < math.exp(-delta / temperature):
            cost += delta
            accepted += 1
            best = min(best, cost)
        else:
            placement.swap(a, b)
        if move % 5000 == 0:
            trace.append(cost)
    return cost, best, accepted / moves, trace


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=14)
    parser.add_argument("--nets", type=int, default=260)
    parser.add_argument("--moves", type=int, default=60_000)
    parser.add_argument("--cpu", type=float, default=2.0, help="CPU seconds to cool down in")
    args = parser.parse_args()
    random.seed(0)
    np.random.seed(0)
    rng = random.Random(17)
    nets = netlist(args.side**2, args.nets, seed=4)
    placement = Placement(args.side, nets, rng)
    print("random placement:", placement.total())
    schedule = CpuSchedule(hot=6.0, cold=0.15, budget=args.cpu)
    cost, best, rate, trace = anneal(placement, schedule, args.moves, rng)
    print(f"wire length {cost}, best {best}, acceptance {rate:.6f}")
    with open("placement.json", "w") as f:
        json.dump({"cost": cost, "trace": trace, "positions": placement.pos}, f)


if __name__ == "__main__":
    main()
