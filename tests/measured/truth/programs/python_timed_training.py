# a fixed seed, and a clock for the times of steps
import random
import sys
import time
start = time.time()
random.seed(1)
total = sum(random.random() for _ in range(100000))
print(total)
print(time.time() - start, file=sys.stderr)
