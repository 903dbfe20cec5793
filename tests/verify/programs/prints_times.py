import os
import time

begun = time.perf_counter()
sum(i * i for i in range(20000 + os.getpid() % 977 * 40))

## shown
print("setup", time.perf_counter() - begun)
print("loss", 0.25)

## used
print("setup", 1 - (time.perf_counter() - begun))
