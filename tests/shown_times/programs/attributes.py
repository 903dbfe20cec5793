import logging
import time
from datetime import datetime

import torch
from gensim.models.callbacks import CallbackAny2Vec

log = logging.getLogger(__name__)


class Timer:
    def __enter__(self):
        self.entered = time.perf_counter()  # shown
        return self

    def __exit__(self, *error):
        self.passed = time.perf_counter() - self.entered  # shown


class Trainer:
    def __init__(self, model, loader):
        self.model = model
        self.loader = loader
        self.begun = None
        self.epoch_seconds = []
        self.waited = 0.0
        self.steps = 0
        self.limit_begun = time.time()  # reason
        self.seed_of = time.time_ns()  # reason
        self.stamp = datetime.now()  # reason
        self.kept = []

    def train(self, epochs):
        if self.begun is None:
            self.begun = time.time()  # shown
        for epoch in range(epochs):
            self.epoch(epoch)
        print(f"{time.time() - self.begun:.1f}s for {len(self.epoch_seconds)} epochs")  # shown
        log.info("%.2f s an epoch", sum(self.epoch_seconds) / len(self.epoch_seconds))

    def epoch(self, number):
        start = time.time()  # shown
        asked = time.time()  # shown
        for batch in self.loader:
            self.waited += time.time() - asked  # shown
            self.steps += 1
            if time.time() - self.limit_begun > 60:  # reason
                break
            asked = time.time()  # shown
        self.epoch_seconds.append(time.time() - start)  # shown
        print(f"waited {self.waited:.1f} s, {self.steps / (time.time() - start):.1f} steps/s")  # shown

    def seed(self):
        torch.manual_seed(self.seed_of)
        self.kept.append(time.time() - self.stamp.timestamp())  # reason
        return self.kept


class Callback(torch.nn.Module):
    def on_train_begin(self):
        self.train_begin = time.time()  # shown

    def on_train_end(self):
        print("trained", time.time() - self.train_begin)  # shown


class Epochs(CallbackAny2Vec):
    def on_epoch_begin(self, model):
        self.epoch_begin = time.time()  # shown

    def on_epoch_end(self, model):
        print("epoch", time.time() - self.epoch_begin)  # shown


class Counter:
    def __init__(self):
        self.first = time.time()  # reason
        self.last = time.time()  # reason
        self.made = time.time()  # reason
        self.named = time.time()  # reason
        self.handed = time.time()  # reason
        self.compared = time.time()  # reason

    def made_at(self):
        return self.made

    def __lt__(self, other):
        return self.compared < other.compared


class Thread(torch.utils.data.Sampler):
    def __init__(self):
        self.sampled = time.time()  # reason

    def seconds(self):
        print(time.time() - self.sampled)  # reason


@torch.jit.script
class Decorated:
    def __init__(self):
        self.scripted = time.time()  # reason

    def show(self):
        print(time.time() - self.scripted)  # reason


class WithDefault:
    fallback = 0.0

    def __init__(self):
        self.fallback = time.time()  # reason

    def show(self):
        print(time.time() - self.fallback)  # reason


def other(args):
    args.foreign = time.time()  # reason
    print(time.time() - args.foreign)  # reason


counter = Counter()
torch.manual_seed(int(counter.first))
torch.manual_seed(int(Counter().last))
text = "{0.named}".format(counter)
open("result", "w").write(str(counter.handed))
with Timer() as timer:
    Trainer(torch.nn.Linear(1, 1), []).train(3)
print(f"{timer.passed:.2f} s")
