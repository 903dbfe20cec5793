# threads that share one generator
import random
import sys
import threading
sys.setswitchinterval(1e-6)
results = [[] for _ in range(4)]
def draw(mine):
    for _ in range(20000):
        mine.append(random.random())
threads = [threading.Thread(target=draw, args=(mine,)) for mine in results]
for thread in threads: thread.start()
for thread in threads: thread.join()
print([sum(mine) for mine in results])
