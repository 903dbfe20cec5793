import os
import time

begun = time.perf_counter()
sum(i * i for i in range(20000 + os.getpid() % 977 * 40))

## shown
print("setup", time.perf_counter() - begun)
print("loss", 0.25)

## used
print("setup", 1 - (time.perf_counter() - begun))

## written_and_used
with open("times.csv", "w") as file:
    file.write("seconds\n%.3f\n" % (time.perf_counter() - begun))
print("setup", 1 - (time.perf_counter() - begun))
