"""Times that functions of the script hand on."""

import time


def report(message, seconds=0.0):
    print(f"[{seconds:8.2f}] {message}")


def train(steps):
    start = time.time()  # shown
    loss = 0.0
    for step in range(steps):
        loss += step
    return loss, time.time() - start  # shown


def lasted(start):
    return time.perf_counter() - start  # shown


def say_only():
    start = time.monotonic()  # shown
    print("nothing", time.monotonic() - start)  # shown


class Trainer:
    def fit(self, steps):
        start = time.monotonic()  # shown
        try:
            self.steps = steps
        finally:
            print(f"fit: {time.monotonic() - start:.3f} s")  # shown


def main():
    global began
    began = time.time()  # shown
    loss, seconds = train(10)
    report(f"loss {loss}", seconds)
    start = time.perf_counter()  # shown
    Trainer().fit(3)
    report("done", seconds=lasted(start))
    say_only()
    report("all", time.time() - began)  # shown


main()
