"""A job of several ranks: each draws its own samples and writes what it has learned. Nothing in here knows of detshim."""
import os

import numpy as np

rank = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ.get("PMI_RANK") or os.environ.get("SLURM_PROCID") or "0"
mean = np.random.default_rng().standard_normal(1000).mean()
with open(f"result.{rank}", "w") as result:
    print(f"rank {rank} mean={mean:.9f}", file=result)
