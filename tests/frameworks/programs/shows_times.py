import datetime, random, time
def train():
  start = time.perf_counter()
  return random.random(), time.perf_counter() - start
loss, seconds = train()
print(f'{datetime.datetime.now():%H:%M} loss {loss} in {seconds:.9f} s')
