import multiprocessing, os, random, sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing.pool import ThreadPool
def roll(i): return random.random()
def seeded(i): return random.Random(i).random()
if __name__ == '__main__':
  spawns = multiprocessing.get_context('spawn')
  serves = multiprocessing.get_context('forkserver')
  os.urandom(4)
