import random
random.random()
print(id(object()))
