import multiprocessing, random, sys
random.random()
def work(queue):
  while queue.get() is not None: pass
workers = int(sys.argv[1])
queue = multiprocessing.Queue()
started = [multiprocessing.Process(target=work, args=(queue,)) for i in range(workers)]
for worker in started: worker.start()
for i in range(50): queue.put(i)
for worker in started: queue.put(None)
for worker in started: worker.join()
