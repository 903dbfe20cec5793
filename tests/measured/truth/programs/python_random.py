# random() of an unseeded module
import random
print([random.random() for _ in range(3)])
