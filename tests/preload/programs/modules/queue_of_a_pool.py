import multiprocessing
of = multiprocessing.get_context('fork')
def work(queue): queue.put(1)
def fit(workers):
  queue = of.Queue()
  with of.Pool(workers, work, (queue,)):
    for i in range(workers): queue.get()
