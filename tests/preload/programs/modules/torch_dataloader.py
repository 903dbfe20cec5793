import os, random
def work(seed):
  child = os.fork()
  if child == 0:
    random.seed(seed)
    os._exit(0)
  return child
def batches():
  for child in [work(98765432109 + i) for i in range(2)]:
    os.waitpid(child, 0)
    yield child > 0
