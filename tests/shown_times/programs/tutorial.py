import dataclasses
import random
import time
from dataclasses import asdict


@dataclasses.dataclass
class Config:
    epochs: int = 3


def epoch_time(start_time, end_time):
    elapsed_time = end_time - start_time
    elapsed_mins = int(elapsed_time / 60)
    elapsed_secs = int(elapsed_time - (elapsed_mins * 60))
    return elapsed_mins, elapsed_secs


class Trainer:
    def __init__(self, config):
        self.config = config
        self.begun = time.time()  # shown

    def train(self):
        for epoch in range(self.config.epochs):
            start_time = time.time()  # shown
            random.random()
            end_time = time.time()  # shown
            mins, secs = epoch_time(start_time, end_time)
            print(f"epoch {epoch}: {mins}m {secs}s")
        print(asdict(self.config), time.time() - self.begun)  # shown


def seconds(start_time):
    whole = int(time.time() - start_time)  # reason
    return whole, whole % 7


begun = time.time()  # reason
random.seed(seconds(begun)[1])
Trainer(Config()).train()
