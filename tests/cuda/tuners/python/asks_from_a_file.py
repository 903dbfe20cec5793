"""Times three candidates from a file at a path that the first argument names, and prints the fastest."""
import importlib.util
import os
import sys
import tempfile

ASKS = """
def time_of(events, candidate):
    start, end = events.Event(), events.Event()
    start.record()
    events.launch(candidate)
    end.record()
    return start.elapsed_time(end)
"""


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


folder = os.path.dirname(os.path.abspath(__file__))
events = load("streams", os.path.join(folder, "site-packages/torch/cuda/streams.py"))
with tempfile.TemporaryDirectory() as scratch:
    path = os.path.join(scratch, sys.argv[1])
    os.makedirs(os.path.dirname(path))
    with open(path, "w") as file:
        file.write(ASKS)
    tuner = load("tuner", path)
    print(min(events.times, key=lambda candidate: tuner.time_of(events, candidate)))
