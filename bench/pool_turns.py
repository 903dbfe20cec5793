#!/usr/bin/env python3
"""What it costs that a pool's workers take tasks in turn: the time of a Pool.map whose tasks sleep, under detshim,
with turns to that without. Prints Markdown.

    bench/pool_turns.py build/release
"""

import os
import pathlib
import subprocess
import sys

PROGRAM = """
import multiprocessing, random, sys, time
workers, how = int(sys.argv[1]), sys.argv[2]
numbers = random.Random(1)
lengths = {"equal": lambda i: 1.0, "0.9 to 1.1": lambda i: numbers.uniform(0.9, 1.1), "0 to 2": lambda i: numbers.uniform(0, 2),
           "exponential": lambda i: numbers.expovariate(1), "one in ten is ten": lambda i: 10.0 if numbers.random() < 0.1 else 1.0}[how]
tasks = [lengths(i) * 0.02 for i in range(25 * workers)]
with multiprocessing.get_context("fork").Pool(workers) as pool:
    pool.map(time.sleep, [0] * workers, 1)
    began = time.monotonic()
    pool.map(time.sleep, tasks, 1)
    print(time.monotonic() - began)
"""


def seconds(build, workers, how, more):
    command = [
        build / "detshim",
        "run",
        "--quiet",
        "--seed",
        "42",
        *more,
        "--",
        sys.executable,
        "-c",
        PROGRAM,
        str(workers),
        how,
    ]
    environment = dict(os.environ, DETSHIM_LOG="/dev/shm/detshim-pool-turns")
    return min(
        float(
            subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment
            ).stdout
        )
        for _ in range(3)
    )


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    print("| length of tasks | 2 workers | 8 workers | 32 workers |\n|---|---|---|---|")
    for how in ("equal", "0.9 to 1.1", "0 to 2", "exponential", "one in ten is ten"):
        ratios = [
            seconds(build, workers, how, [])
            / seconds(build, workers, how, ["--disable", "sem_trywait"])
            for workers in (2, 8, 32)
        ]
        print(f"| {how} | " + " | ".join(f"{ratio:.1f}" for ratio in ratios) + " |", flush=True)
    subprocess.run(["rm", "-rf", "/dev/shm/detshim-pool-turns"], check=True)


main()
