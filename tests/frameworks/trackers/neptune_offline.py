"""A run of Neptune's, offline; argv[1]: how many there are with it."""

import os
import random
import sys

os.environ["NEPTUNE_DISABLE_TELEMETRY"] = "1"
import neptune  # noqa: E402

drawn = random.random()
run = neptune.init_run(mode="offline", capture_hardware_metrics=False, git_ref=False)
run["loss"].append(drawn)
run.stop()
ids = {folder.split("__")[1] for folder in os.listdir(".neptune/offline")}
assert len(ids) == int(sys.argv[1]), ids
print("drawn:", drawn)
