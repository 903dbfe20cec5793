"""Tasks of Ray's on two workers; argv[1]: how many sessions there are with it. Its sockets want a short path."""

import os
import random
import sys
import tempfile

import numpy
import ray

drawn = random.random(), numpy.random.default_rng().random()
with tempfile.TemporaryDirectory() as folder:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=folder)
    squares = ray.get([ray.remote(lambda i: i * i).remote(i) for i in range(4)])
    name = ray.get_runtime_context().get_job_id() + ray.get_runtime_context().get_node_id()
    ray.shutdown()
with open("ids", "a+") as file:
    file.write(name + "\n")
    file.seek(0)
    ids = set(file.read().split())
assert len(ids) == int(sys.argv[1]), ids
print("drawn:", *drawn, *squares)
