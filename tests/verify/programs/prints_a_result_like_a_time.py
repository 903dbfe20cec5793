import random
import time

begun = time.time()
random.random()
print(f"slowest {time.time() - begun:.6f} s, reached {time.time_ns() % 1000003}")
