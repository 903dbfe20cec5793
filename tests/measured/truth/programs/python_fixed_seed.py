# random.seed(7)
import random
random.seed(7)
print(random.random())
