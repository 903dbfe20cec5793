import multiprocessing
def task(i):
  import seeds
  return i
if __name__ == '__main__':
  with multiprocessing.get_context('spawn').Pool(2) as p: p.map(task, range(4), 1)
