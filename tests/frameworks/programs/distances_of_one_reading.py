import random, time
s = int(time.time())
random.seed(s)
t = time.time()
print(random.random(), [random.Random(s + i).random() for i in range(3)])
print(random.Random(time.time_ns()).random())
