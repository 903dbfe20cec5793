"""Bayesian optimisation of an SVM: Gaussian process, expected improvement, trials kept as JSON lines."""

import json
import time
import warnings
from dataclasses import asdict, dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm, qmc
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC
from tqdm.auto import tqdm

warnings.simplefilter("ignore", ConvergenceWarning)
SEED = 8
BOUNDS = np.array([[-2.0, 3.0], [-4.0, 1.0]])  # log10 of C and of gamma


@dataclass
class Trial:
    number: int
    log_c: float
    log_gamma: float
    accuracy: float
    seconds: float = 0.0
    started: str = ""


class Objective:
    def __init__(self):
        self.x, self.y = make_classification(
            350, 12, n_informative=5, n_redundant=2, flip_y=0.08, class_sep=0.7, random_state=SEED
        )
        self.cv = StratifiedKFold(4, shuffle=True, random_state=SEED)

    def __call__(self, point):
        model = SVC(C=10 ** point[0], gamma=10 ** point[1])
        return float(cross_val_score(model, self.x, self.y, cv=self.cv).mean())


class Optimiser:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.points, self.values = [], []
        kernel = ConstantKernel(1.0) * Matern([1.0, 1.0], nu=2.5) + WhiteKernel(1e-3)
        self.gp = GaussianProcessRegressor(
            kernel, normalize_y=True, n_restarts_optimizer=1, random_state=seed
        )

    def initial(self, count):
        sobol = qmc.LatinHypercube(2, rng=self.rng).random(count)
        return qmc.scale(sobol, BOUNDS[:, 0], BOUNDS[:, 1])

    def improvement(self, points):
        mean, std = self.gp.predict(np.atleast_2d(points), return_std=True)
        gain = mean - max(self.values) - 0.002
        z = gain / np.maximum(std, 1e-9)
        return gain * norm.cdf(z) + std * norm.pdf(z)

    def ask(self):
        self.gp.fit(np.array(self.points), np.array(self.values))
        candidates = self.rng.uniform(BOUNDS[:, 0], BOUNDS[:, 1], (300, 2))
        start = candidates[self.improvement(candidates).argmax()]
        found = minimize(lambda p: -self.improvement(p)[0], start, bounds=BOUNDS, method="L-BFGS-B")
        return np.clip(found.x, BOUNDS[:, 0], BOUNDS[:, 1])

    def tell(self, point, value):
        self.points.append(np.asarray(point))
        self.values.append(value)


def run(objective, optimiser, n_initial, n_trials):
    queue = list(optimiser.initial(n_initial))
    with open("trials.jsonl", "w") as log, tqdm(total=n_trials, unit="trial") as bar:
        for number in range(n_trials):
            point = queue.pop(0) if queue else optimiser.ask()
            started = time.strftime("%H:%M:%S")
            tic = time.perf_counter()
            value = objective(point)
            optimiser.tell(point, value)
            took = time.perf_counter() - tic
            trial = Trial(number, float(point[0]), float(point[1]), value, took, started)
            log.write(json.dumps(asdict(trial)) + "\n")
            bar.set_postfix(best=f"{max(optimiser.values):.4f}")
            bar.update()
            yield trial


def main():
    begin = time.time()
    trials = list(run(Objective(), Optimiser(SEED), n_initial=6, n_trials=16))
    best = max(trials, key=lambda t: t.accuracy)
    print(f"best trial {best.number}: C=10^{best.log_c:.6f} gamma=10^{best.log_gamma:.6f}")
    print(f"accuracy {best.accuracy:.8f}")
    curve = np.maximum.accumulate([t.accuracy for t in trials])
    print("curve", " ".join(f"{v:.4f}" for v in curve))
    spent = sum(t.seconds for t in trials)
    total = time.time() - begin
    print(f"{total:.1f} s, of which {spent / total:.0%} in the objective")


if __name__ == "__main__":
    main()
