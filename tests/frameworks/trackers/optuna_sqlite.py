"""A study of Optuna's in a database, under a name that it chooses; argv[1]: how many there are with it."""

import random
import sys

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.create_study(storage="sqlite:///optuna.db", sampler=optuna.samplers.TPESampler())
study.optimize(lambda trial: (trial.suggest_float("x", -1, 1) - 0.5) ** 2, n_trials=12)
studies = optuna.get_all_study_names("sqlite:///optuna.db")
assert len(set(studies)) == int(sys.argv[1]), studies
print("drawn:", random.random(), study.best_value)
