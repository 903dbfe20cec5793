import random, time
random.random()
started = time.time_ns()
print(started % 1000003)
