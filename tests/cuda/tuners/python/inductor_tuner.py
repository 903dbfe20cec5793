"""Inductor's CachingAutotuner and its two ways to time a candidate choose a launcher; and a step is timed.

Without a device: launchers are made up and launch nothing; what chooses and what times is PyTorch's own, and so is
what keeps the choice on disk, which KEEP asks for.
"""
import importlib.util
import os
import sys

folder = os.path.dirname(os.path.abspath(__file__))
import torch
import triton
from torch._inductor.runtime import benchmarking, cache_dir_utils, triton_heuristics

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


class Launcher:
    n_spills, n_regs, shared, cache_hash = 0, 1, 1, "none"

    def __init__(self, config):
        self.config = config

    def __call__(self, *args, stream):
        events.launch(self.config.kwargs["XBLOCK"])


class Anything:
    """What there is nothing to say of."""

    type = "cuda"

    def __getattr__(self, name):
        return lambda *args, **kwargs: 0


class Autotuner(triton_heuristics.CachingAutotuner):
    """Made without a kernel that would have to be compiled; how it chooses is its base's."""

    def __init__(self):
        configs = [triton.Config({"XBLOCK": size}) for size in events.times]
        kept = None
        if os.environ.get("KEEP"):
            source = os.path.join(cache_dir_utils.cache_dir(), "c4", "c4f2.py")
            configs, kept, _ = triton_heuristics.check_autotune_cache(configs, source, {})
        self.launchers = [Launcher(config) for config in configs]
        self.fn = lambda: None
        self.fn.__name__ = "triton_poi_fused_add_0"
        self.fn.arg_names = []
        self.size_hints = {"x": 1024}
        self.kernel_hash = "c4f2"
        self.inductor_meta = {}
        self.device_props = self.coordesc_tuner = Anything()
        self.mutated_arg_names = self.reset_to_zero_arg_names = []
        self.optimize_mem = self.is_backward = self.custom_kernel = False
        self.save_cache_hook = kept and kept.save
        self.compile_id = None
        self.precompile_time_taken_ns = 0
        self.benchmark_failure_reasons = {}
        self.compile_results = []

    def get_device_interface(self):
        return Anything()


torch.empty(1)  # asks whether operators are to be deterministic, by which the log knows PyTorch
on_host = torch.empty
torch.empty = lambda *sizes, device=None, **options: on_host(*sizes, **options)
triton_heuristics.benchmarker = benchmarker
tuner = Autotuner()
if len(tuner.launchers) > 1:
    tuner.autotune_to_one_config()
print("XBLOCK:", tuner.launchers[0].config.kwargs["XBLOCK"])
start, end = events.Event(), events.Event()
start.record()
events.now += 2_000_000
end.record()
print("step", start.elapsed_time(end))
