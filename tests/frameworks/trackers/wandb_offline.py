"""A run of Weights & Biases', offline; argv[1]: how many there are with it."""

import glob
import os
import random
import sys

os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=os.getcwd(), WANDB_CACHE_DIR="cache")
os.environ.update(WANDB_CONFIG_DIR="config", WANDB_DATA_DIR="data", WANDB_ERROR_REPORTING="false")
import wandb  # noqa: E402

drawn = random.random()
with wandb.init(project="names") as run:
    run.log({"loss": drawn})
ids = {folder.rsplit("-", 1)[1] for folder in glob.glob("wandb/offline-run-*")}
assert len(ids) == int(sys.argv[1]), ids
print("drawn:", drawn)
