# random.seed(time.time())
import random
import time
random.seed(time.time())
print(random.random())
