import logging
import random
import time

logging.basicConfig(format="%(message)s")


class Clock:
    def __init__(self):
        self.begun = time.time()

    def passed(self):
        self.last = time.time() - self.begun
        return self.last


clock = Clock()
for step in range(3):
    begun = time.time()
    loss = random.random()
    time.sleep(0.001)
    clock.passed()
    print(f"step {step}  loss {loss:.6f}  {8 / (time.time() - begun):.1f} fps")
    print("slowest", clock.last)
    logging.warning("fit: %.6f s of %d", time.time() - begun, step)
