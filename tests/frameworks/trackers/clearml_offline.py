"""A task of ClearML's, offline; argv[1]: how many there are with it."""

import os
import random
import sys

import numpy

os.environ.update(CLEARML_CACHE_DIR=os.path.abspath("cache"), HOME=os.getcwd(), CLEARML_LOG_LEVEL="ERROR")
# It asks for news of itself although it is offline: at a port where nobody answers, no resolver is waited for.
os.environ["HTTPS_PROXY"] = os.environ["https_proxy"] = "http://127.0.0.1:9"
from clearml import Task  # noqa: E402

drawn = random.random(), numpy.random.default_rng().random()
Task.set_offline(True)
task = Task.init("names", "train", auto_connect_frameworks=False, auto_resource_monitoring=False)
task.get_logger().report_scalar("loss", "train", drawn[0], 1)
name = task.id
task.close()
with open("ids", "a+") as file:
    file.write(name + "\n")
    file.seek(0)
    ids = set(file.read().split())
assert len(ids) == int(sys.argv[1]), ids
print("drawn:", *drawn)
