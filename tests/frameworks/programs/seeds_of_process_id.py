import random, os
random.seed(os.getpid())
print(random.random(), random.Random(os.getpid()).random())
print(random.Random(hash((os.getpid(), 1))).random())
