"""An experiment of Comet's, offline; argv[1]: how many there are with it."""

import os
import random
import sys

os.environ["COMET_LOGGING_CONSOLE"] = "error"
import comet_ml  # noqa: E402

drawn = random.random()
experiment = comet_ml.OfflineExperiment(
    "names", offline_directory="offline", log_code=False, log_env_details=False
)
experiment.log_metric("loss", drawn, step=1)
experiment.end()
archives = {name for name in os.listdir("offline") if name.endswith(".zip")}
assert len(archives) == int(sys.argv[1]), archives
print("drawn:", drawn)
