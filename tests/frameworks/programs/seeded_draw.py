import random, sys, time
random.seed(SEED)
print(random.random())
