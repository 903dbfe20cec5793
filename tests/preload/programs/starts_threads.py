import os, sys, threading
from concurrent.futures import ThreadPoolExecutor
os.urandom(4)
waits = threading.Event()

## nothing_yet

## several
for i in range(2): threading.Thread(target=waits.wait).start()
waits.set()

## one
thread = threading.Thread(target=int); thread.start()
thread.join()

## executor
pool = ThreadPoolExecutor(2); pool.submit(int)
pool.shutdown()

## in_a_child
if os.fork() == 0: threading.Thread(target=int).start()
else: os.wait()
