import random, time
random.seed(7); print(random.random())
random.seed(time.time_ns())
print(random.random())
