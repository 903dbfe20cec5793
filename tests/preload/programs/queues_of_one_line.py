import multiprocessing, os
os.urandom(4)
def work(queue):
  queue.put(os.getpid())
queues = [multiprocessing.Queue() for i in range(2)] * 2
workers = [multiprocessing.Process(target=work, args=(queue,)) for queue in queues]
for worker in workers: worker.start()
for queue in queues: queue.get()
for worker in workers: worker.join()
