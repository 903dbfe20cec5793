"""A run of Aim's; argv[1]: how many there are with it."""

import os
import random
import sys

os.environ["AIM_UI_TELEMETRY_ENABLED"] = "0"
import aim  # noqa: E402

drawn = random.random()
repo = aim.Repo.from_path(".", init=True)
run = aim.Run(repo=repo, system_tracking_interval=None, capture_terminal_logs=False)
run.track(drawn, name="loss")
run.close()
hashes = os.listdir(".aim/meta/chunks")
assert len(set(hashes)) == int(sys.argv[1]), hashes
print("drawn:", drawn)
