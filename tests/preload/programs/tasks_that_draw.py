import os, random, sys, multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
def draw(i): return os.urandom(4)
def seeded(i): return i * i
def child(i): os.urandom(4)

## tasks_alone

## generator_of_a_worker
def roll(i): return random.random()
with multiprocessing.get_context('fork').Pool(2) as p: p.map(roll, range(4), 1)

## processes
for i in range(2):
  p = multiprocessing.get_context('fork').Process(target=child, args=(1,))
  p.start()
  p.join()

## tasks_without_a_draw
with ThreadPoolExecutor(1) as p: list(p.map(seeded, range(4)))
os.urandom(4)

## import_in_a_thread
with ThreadPoolExecutor(1) as p: p.submit(__import__, 'secrets').result()
os.urandom(4)
