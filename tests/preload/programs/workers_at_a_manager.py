import multiprocessing, os, sys
def work(items, i):
  for k in range(9): items.append(i)
with multiprocessing.get_context('fork').Manager() as manager:
  items = manager.list()
  workers = [multiprocessing.get_context('fork').Process(target=work, args=(items, i))
             for i in range(int(sys.argv[1]))]
  for worker in workers: worker.start()
  for worker in workers: worker.join()
  items.append(len(items))
