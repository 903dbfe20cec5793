"""Inductor's CachingAutotuner and its two ways to time a candidate choose a launcher; and a step is timed.

Without a device: launchers are made up and launch nothing; what chooses and what times is PyTorch's own.
"""
import importlib.util
import os
import sys

folder = os.path.dirname(os.path.abspath(__file__))
import torch
from torch._inductor.runtime import benchmarking, triton_heuristics

spec = importlib.util.spec_from_file_location("streams", os.path.join(folder, "site-packages/torch/cuda/streams.py"))
events = importlib.util.module_from_spec(spec)
spec.loader.exec_module(events)

way = sys.argv[1]
benchmarking.get_interface_for_device = lambda device: events.Device
benchmarking.InductorBenchmarker.get_device_cache_size = lambda self, device: 1024
if way == "triton":  # TritonBenchmarker hands on to Triton's do_bench
    from triton.runtime.driver import driver

    class Driver:
        def get_device_interface(self):
            return events.Device

        def get_empty_cache_for_benchmark(self):
            return None

        def clear_cache(self, cache):
            pass

    driver.set_active(Driver())
    benchmarker = benchmarking.TritonBenchmarker()
else:
    benchmarker = benchmarking.InductorBenchmarker()


class Config:
    def __init__(self, size):
        self.size = size

    def __str__(self):
        return f"XBLOCK: {self.size}"


class Launcher:
    n_spills, n_regs, shared, cache_hash = 0, 1, 1, "none"

    def __init__(self, size):
        self.config = Config(size)

    def __call__(self, *args, stream):
        events.launch(self.config.size)


class Anything:
    """What there is nothing to say of."""

    type = "cuda"

    def __getattr__(self, name):
        return lambda *args, **kwargs: 0


class Autotuner(triton_heuristics.CachingAutotuner):
    """Made without a kernel that would have to be compiled; how it chooses is its base's."""

    def __init__(self):
        self.launchers = [Launcher(size) for size in events.times]
        self.fn = lambda: None
        self.fn.__name__ = "triton_poi_fused_add_0"
        self.fn.arg_names = []
        self.size_hints = {"x": 1024}
        self.kernel_hash = "c4f2"
        self.inductor_meta = {}
        self.device_props = self.coordesc_tuner = Anything()
        self.mutated_arg_names = self.reset_to_zero_arg_names = []
        self.optimize_mem = self.is_backward = self.custom_kernel = False
        self.save_cache_hook = self.compile_id = None
        self.precompile_time_taken_ns = 0
        self.benchmark_failure_reasons = {}
        self.compile_results = []

    def get_device_interface(self):
        return Anything()


on_host = torch.empty
torch.empty = lambda *sizes, device=None, **options: on_host(*sizes, **options)
triton_heuristics.benchmarker = benchmarker
tuner = Autotuner()
tuner.autotune_to_one_config()
print(tuner.launchers[0].config)
start, end = events.Event(), events.Event()
start.record()
events.now += 2_000_000
end.record()
print("step", start.elapsed_time(end))
