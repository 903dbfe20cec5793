from concurrent.futures import ThreadPoolExecutor
import numpy
def draw(seed):
  rng = numpy.random.default_rng(seed)
  return sum(rng.random(200000).sum() for _ in range(20))
with ThreadPoolExecutor(4) as pool: print(sum(pool.map(draw, range(16))))
