import multiprocessing, os, sys
os.urandom(4)
def work(queue):
  queue.put(os.getpid())
queue = multiprocessing.Queue()
workers = [multiprocessing.Process(target=work, args=(queue,)) for i in range(int(sys.argv[1]))]
for worker in workers: worker.start()
for worker in workers: queue.get()
for worker in workers: worker.join()
