# threads that draw, joined one by one
import random
import threading
results = []
for i in range(4):
    thread = threading.Thread(target=lambda: results.append(random.random()))
    thread.start()
    thread.join()
print(results)
