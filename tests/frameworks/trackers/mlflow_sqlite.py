"""A run of MLflow's in a database; argv[1]: how many there are with it."""

import os
import random
import sys

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
import mlflow  # noqa: E402

mlflow.set_tracking_uri("sqlite:///mlflow.db")
drawn = random.random()
with mlflow.start_run():
    mlflow.log_metric("loss", drawn)
runs = mlflow.MlflowClient().search_runs(["0"])
assert len(runs) == int(sys.argv[1]), len(runs)
print("drawn:", drawn, runs[0].data.metrics["loss"] == drawn)
