import multiprocessing, os
os.urandom(4)
for i in range(9):
  queue = multiprocessing.Queue()
  queue.put(i)
  queue.get()
