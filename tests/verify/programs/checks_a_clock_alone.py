import time, random
assert time.time() > 0
print(random.random())
