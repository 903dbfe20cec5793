import random
random.seed(42)
print(random.random(), [random.Random(42 + i).random() for i in range(3)])
