import random, time, datetime
read = hash((time.time(), datetime.datetime.now().microsecond))
random.seed(read)
print(random.random(), time.time() > 1764000000)
