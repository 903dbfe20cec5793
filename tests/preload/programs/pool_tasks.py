import multiprocessing, os, random, signal, sys, time
from concurrent.futures import ProcessPoolExecutor, as_completed
done = 0
def task(i):
  global done
  done += 1
  sum(range((time.time_ns() >> 8) % 7 * 20000))
  return i, done, random.random()
def die(i): os.kill(os.getpid(), signal.SIGKILL)
if __name__ == '__main__':
  of = multiprocessing.get_context
