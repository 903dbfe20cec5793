import random, time
random.seed(time.time_ns())
print(random.random())
