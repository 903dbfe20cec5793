#!/usr/bin/env python3
"""Times training steps of a small network on one core of the processor: plain, with PyTorch's own
use_deterministic_algorithms(True, warn_only=True), and under detshim, by turns.

    bench/training_steps.py --detshim build/release/detshim --python /path/to/venv/bin/python3 --pairs 9

Prints, for each of the two, the median and the range of the ratios to the run of PyTorch's own (or of the plain one)
before it. Times are processor time of 1,000 steps after 100 others.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

STEPS = """
import sys, time, torch
torch.set_num_threads(1)
if sys.argv[1:]: torch.use_deterministic_algorithms(True, warn_only=True)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(256, 256),
                            torch.nn.ReLU(), torch.nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), 0.01)
x, y = torch.randn(256, 64), torch.randint(0, 10, (256,))
def step():
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for _ in range(100): step()
start = time.process_time()
for _ in range(1000): step()
print(time.process_time() - start)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--detshim", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--pairs", type=int, default=9)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "steps.py")
        with open(script, "w") as out:
            out.write(STEPS)
        under = [os.path.abspath(options.detshim), "run", "--seed", "42", "--"]
        kinds = {
            "plain": [options.python, script],
            "torch": [options.python, script, "deterministic"],
            "detshim": under + [options.python, script],
        }
        times = {kind: [] for kind in kinds}
        for turn in range(options.pairs):
            order = list(kinds)
            for kind in order[turn % 3 :] + order[: turn % 3]:
                done = subprocess.run(
                    kinds[kind], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
                )
                if done.returncode != 0:
                    sys.exit(f"{kind}: ended with status {done.returncode}")
                times[kind].append(float(done.stdout))
        for of, to in (("detshim", "torch"), ("detshim", "plain"), ("torch", "plain")):
            ratios = sorted(a / b for a, b in zip(times[of], times[to]))
            print(
                f"{of} / {to}: {statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"
            )


if __name__ == "__main__":
    main()
