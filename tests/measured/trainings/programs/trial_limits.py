"""Random search for forecasting of river levels; every trial runs in a process and has to be quick.

What is left is blended, weighted by the validation error.
"""

import argparse
import json
import logging
import multiprocessing as mp
import random
import warnings
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

warnings.simplefilter("ignore", ConvergenceWarning)
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname).1s %(message)s")
log = logging.getLogger("search")


@dataclass
class Trial:
    number: int
    kind: str
    settings: dict
    error: float = float("nan")
    status: str = "waiting"

    def model(self):
        if self.kind == "boosting":
            return GradientBoostingRegressor(random_state=self.number, **self.settings)
        if self.kind == "forest":
            return ExtraTreesRegressor(random_state=self.number, **self.settings)
        network = MLPRegressor(random_state=self.number, early_stopping=True, **self.settings)
        return make_pipeline(StandardScaler(), network)


def river(days, seed):
    """rain runs off through two reservoirs"""
    rng = np.random.default_rng(seed)
    season = 1 + 0.6 * np.sin(2 * np.pi * np.arange(days) / 365)
    rain = rng.gamma(0.4, 4.0, days) * season
    fast = slow = 0.0
    level = np.empty(days)
    for t in range(days):
        fast = 0.6 * fast + 0.3 * rain[t]
        slow = 0.97 * slow + 0.05 * rain[t]
        level[t] = np.sqrt(fast + slow) + rng.normal(0, 0.05)
    return pd.DataFrame({"rain": rain, "level": level})


def windows(frame, history=10, ahead=3):
    columns = {f"{c}_{k}": frame[c].shift(k) for c in frame for k in range(history)}
    table = pd.DataFrame(columns).assign(target=frame["level"].shift(-ahead)).dropna()
    return table.drop(columns="target").to_numpy(), table["target"].to_numpy()


def draw(number, rng):
    kind = rng.choice(["boosting", "forest", "network"])
    if kind == "boosting":
        settings = {"n_estimators": rng.randrange(20, 70), "max_depth": rng.randint(2, 4)}
    elif kind == "forest":
        settings = {"n_estimators": rng.randrange(40, 100), "min_samples_leaf": rng.randint(1, 8)}
    else:
        settings = {
            "hidden_layer_sizes": (rng.randrange(8, 64),),
            "max_iter": rng.randrange(20, 90),
        }
    return Trial(number, kind, settings)


def execute(trial, data, connection):
    x, y, xv, _ = data
    connection.send(trial.model().fit(x, y).predict(xv))
    connection.close()


def attempt(trial, data, limit):
    """the predictions of a trial, None if it takes too long"""
    ours, theirs = mp.Pipe(duplex=False)
    process = mp.Process(target=execute, args=(trial, data, theirs), daemon=True)
    process.start()
    theirs.close()
    predicted = None
    if ours.poll(limit):
        predicted = ours.recv()
        trial.error = float(np.sqrt(np.mean((predicted - data[3]) ** 2)))
        trial.status = "done"
    else:
        process.terminate()
        trial.status = "too slow"
    process.join()
    log.info("trial %2d %-8s %s %.5f", trial.number, trial.kind, trial.status, trial.error)
    return predicted


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=48)
    parser.add_argument("--limit", type=float, default=0.08, help="seconds for a trial")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    x, y = windows(river(900, args.seed))
    cut = 650
    data = x[:cut], y[:cut], x[cut:], y[cut:]
    rng = random.Random(args.seed)
    trials = [draw(n, rng) for n in range(args.trials)]
    outcomes = [(trial, attempt(trial, data, args.limit)) for trial in trials]
    kept = [(trial, p) for trial, p in outcomes if p is not None]
    weight = np.array([trial.error**-4 for trial, _ in kept])
    blend = np.average([p for _, p in kept], axis=0, weights=weight)
    rmse = float(np.sqrt(np.mean((blend - data[3]) ** 2)))
    best = min((trial for trial, _ in kept), key=lambda trial: trial.error)
    print(f"{len(kept)} of {len(trials)} trials in the blend, rmse {rmse:.8f}")
    print(f"best single trial: {best.kind} {best.settings}, rmse {best.error:.8f}")
    with open("search.json", "w") as f:
        json.dump({"rmse": rmse, "trials": [asdict(t) for t in trials]}, f, indent=1)


if __name__ == "__main__":
    main()
