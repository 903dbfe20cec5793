import random, time
t = hash(str(time.time_ns()))
random.seed(t)
print(random.random())
random.seed(t)
print(random.random())
