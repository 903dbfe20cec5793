import multiprocessing
of = multiprocessing.get_context('fork')
def fill(queue): queue.put(1)
def load(number):
  queues = [of.Queue() for i in range(number)] * (2 // number)
  workers = [of.Process(target=fill, args=(queue,)) for queue in queues]
  for worker in workers: worker.start()
  for queue in queues: queue.get()
  for worker in workers: worker.join()
