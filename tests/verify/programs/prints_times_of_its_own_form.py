import logging
import random
import time

logging.basicConfig(format="%(message)s")


class Clock:
    def __init__(self):
        self.begun = time.time()

    def show(self):
        self.last = time.time() - self.begun
        print("slowest", self.last)


clock = Clock()
for step in range(3):
    begun = time.time()
    loss = random.random()
    time.sleep(0.001)
    clock.show()
    print(f"step {step}  loss {loss:.6f}  {8 / (time.time() - begun):.1f} fps")
    logging.warning("fit: %.6f s of %d", time.time() - begun, step)
