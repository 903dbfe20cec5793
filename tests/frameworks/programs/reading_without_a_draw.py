import time
seed = time.time_ns()
print(seed)
