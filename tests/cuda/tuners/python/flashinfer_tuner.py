"""FlashInfer's AutoTuner chooses a tactic; and a step is timed.

Without a device: the tuner's module is FlashInfer's own, as it is installed, without the package around it, whose import
builds kernels; what it asks of CUDA goes to the doubles' events, and the tactics launch nothing.
"""
import contextlib
import importlib
import importlib.util
import logging
import os
import sys
import types

folder = os.path.dirname(os.path.abspath(__file__))
import torch

spec = importlib.util.spec_from_file_location("streams", os.path.join(folder, "site-packages/torch/cuda/streams.py"))
events = importlib.util.module_from_spec(spec)
spec.loader.exec_module(events)


def add_module(name, **members):
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update(members)
    return module


found = importlib.util.find_spec("flashinfer").submodule_search_locations
add_module("flashinfer", __version__="0.7.2").__path__ = list(found)
add_module("flashinfer.tllm_utils", delay_kernel=lambda microseconds: None)
add_module("flashinfer.utils", next_positive_power_of_2=lambda n: n, is_confidential_compute=lambda *_: False,
           get_globaltimer_kernel=lambda: None)
add_module("flashinfer.jit").__path__ = []
add_module("flashinfer.jit.core", logger=logging.getLogger("flashinfer"))
add_module("flashinfer.version", __version__="0.7.2")


class Stream:
    device = "cpu"

    def synchronize(self):
        pass


class Anything:
    def __getattr__(self, name):
        return lambda *args, **kwargs: None


cuda = torch.cuda
cuda.current_stream = Stream
cuda.Event = events.Event
cuda.CUDAGraph = Anything
cuda.stream = lambda stream: contextlib.nullcontext()
cuda.is_current_stream_capturing = lambda: False
cuda.synchronize = lambda *_: None

tuner = importlib.import_module("flashinfer.autotuner.autotuner")


class Runner(tuner.TunableRunner):
    def get_valid_tactics(self, inputs, profile):
        return list(events.times)

    def forward(self, inputs, tactic=-1, do_preparation=False, **options):
        events.launch(tactic if tactic in events.times else next(iter(events.times)))
        return inputs[0]


with tuner.autotune(True):
    _, tactic = tuner.AutoTuner.get().choose_one("product", [Runner()], tuner.TuningConfig(), [torch.zeros(4, 8)])
print("tactic:", tactic)
start, end = events.Event(), events.Event()
start.record()
events.now += 2_000_000
end.record()
print("step", start.elapsed_time(end))
