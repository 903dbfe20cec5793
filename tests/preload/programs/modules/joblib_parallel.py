from multiprocessing.pool import ThreadPool
class Parallel:
  def __init__(self, require): self._backend_kwargs = {'require': require}
  def __call__(self, threads):
    with ThreadPool(threads) as pool: pool.map(int, range(4))
