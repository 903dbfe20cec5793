# random.seed(os.getpid())
import os
import random
random.seed(os.getpid())
print(random.random())
