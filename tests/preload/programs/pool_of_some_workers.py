import multiprocessing, random, sys
def task(i): return random.random()
if __name__ == '__main__':
  with multiprocessing.get_context('fork').Pool(int(sys.argv[1])) as p: p.map(task, range(4))
