import random, time, os

## seed
random.seed(abs(time.time()))

## indented
if True:
  seed = os.getpid() # mine
print(seed % 7)

## name
now = time.time_ns()
print(now)
r = random.Random(now)

## datetime
from datetime import datetime
random.seed(datetime.now().timestamp())

## another_name
from time import time_ns as Now
random.seed(abs(Now()))

## shown
start = time.time()
print(3)
print('seed(s)', time.time() - start)

## waited_for
start = time.time()
while time.time() - start < 0: pass
