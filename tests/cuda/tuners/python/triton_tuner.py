"""Triton's autotuner chooses a kernel's block size, for two problems; the program times a step of its own.

Without a device: the kernel and Triton's driver are replaced, its Autotuner and do_bench are what is installed (or
the few lines of standin/, where it is not).
"""
import importlib.util
import os
import sys

folder = os.path.dirname(os.path.abspath(__file__))
# In a file that is called as PyTorch's is, since who calls it is told by its name.
spec = importlib.util.spec_from_file_location("streams", os.path.join(folder, "site-packages/torch/cuda/streams.py"))
events = importlib.util.module_from_spec(spec)
spec.loader.exec_module(events)
if os.environ.get("STANDIN"):
    sys.path.insert(0, os.path.join(folder, "standin/site-packages"))

import triton.testing
from triton.runtime.autotuner import Autotuner, Config
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction


class Driver:
    def get_device_interface(self):
        return events.Device

    def get_benchmarker(self):
        return triton.testing.do_bench

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass

    def get_current_target(self):  # the cache on disk asks for it
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, 32)


launched = []


class Kernel(JITFunction):
    def run(self, *args, BLOCK, **options):
        launched.append(BLOCK)
        events.launch(BLOCK)


def scale(x, n, BLOCK):
    pass


driver.set_active(Driver())
kernel = Autotuner(Kernel(scale), ["x", "n", "BLOCK"], [Config({"BLOCK": size}) for size in events.times], ["n"], None, None)
for n in (1000, 2000):
    if n == 2000 and os.environ.get("SECOND"):  # other times for the second problem
        events.times.update({int(s): float(t) for s, t in (p.split("=") for p in os.environ["SECOND"].split(","))})
    kernel.run(0, n=n)
    print(n, kernel.best_config.kwargs["BLOCK"])

if os.environ.get("OWN"):  # a tuner of the program's own, whose file and function are called as others' are
    own = "def _profile_single_kernel(tactic): return triton.testing.do_bench(lambda: events.launch(tactic))"
    exec(compile(own, "/own/autotuner.py", "exec"))
    print("own", min(events.times, key=_profile_single_kernel))

start, end = events.Event(), events.Event()
start.record()
events.now += 2_000_000
end.record()
print("step", start.elapsed_time(end))
print("launches", len(launched), file=sys.stderr)
