# a clock that becomes a seed by its name
import random
import time
now = time.time_ns()
rng = random.Random(now)
print(rng.random())
