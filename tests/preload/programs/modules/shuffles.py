import os, random, time
def shuffle():

## seeds
  return random.Random(int((os.getpid() + time.time()) * 1e9)).random()

## reads
  return time.time()

## measures
  began = time.time()
  number = random.Random(3).random()
  return number * (time.time() - began)
