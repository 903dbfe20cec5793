import logging
import os
import time

from tqdm import tqdm

bar = tqdm()
log = logging.getLogger("train")
start = time.time()
for epoch in range(3):
    loss = 1 / (epoch + 1)
    # prints: epoch 2: loss 0.3333, [12.34]s, [7.1] steps/s
    print(
        f"epoch {epoch}: loss {loss:.4f}, {time.time() - start:.2f}s, {3 / (time.time() - start):.1f} steps/s"
    )
    # prints: slowest [0.034]s
    print("slowest", f"{time.time() - start:.3f}s\n")
    # prints: 2026-01-01 INFO loss 0.5 after 0:00:12
    log.info("loss %.1f after %s", loss, str(time.time() - start))
    # prints: INFO peak 158 MB in [0.3] s
    log.info("peak %d MB in %.1f s", 158, time.time() - start)
    # prints: process 4711 begins
    print("process %d begins" % os.getpid())
    # prints: total: 3.5
    print("total:", loss)
    # prints: total: 4.25
    print("total:", time.time() - start)
    # prints: 33%, loss=0.5, seconds=[0.2]
    bar.set_postfix(loss=loss, seconds=time.time() - start)
    # prints: 33%| 1/3 <00:01, 8.1it/s, loss=0.5, took=[0.20]s, seconds=[0.2]
    bar.set_postfix(loss=loss, took=f"{time.time() - start:.2f}s", seconds=time.time() - start)
    # prints: 12.5
    print(time.time() - start)
    # prints: 0.25
    print(loss)


class Watch:
    def __init__(self):
        self.begun = time.time()

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.elapsed = time.time() - self.begun


def lookup(watch):
    return watch


class Hidden(Watch):
    def __enter__(self):
        return lookup(self)


with Watch() as watch:
    pass
other = Watch()
given = Watch()
given = lookup(given)
with Hidden() as hidden:
    pass
# prints: INFO loop [6.96]s
log.info("loop %.2fs", watch.elapsed)
# prints: other [0.003] s
print(f"other {other.elapsed:.3f} s")
# prints: given 0.003 s
print(f"given {given.elapsed:.3f} s")
# prints: hidden 0.003 s
print(f"hidden {hidden.elapsed:.3f} s")
