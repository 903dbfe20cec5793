import sys, time, random, os, threading, multiprocessing as mp
import numpy as np
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
how = sys.argv[1]
seed = int(time.time()) if how.endswith("_late") else None
def own(i):
    r = random.Random(time.time_ns()); np.random.seed(int(time.time() * 1000) % 2**32); g = np.random.default_rng(time.time_ns())
    return r.random(), np.random.rand(), g.random()
def put(q, i): q.put((i, own(i)))
def passed(q, i, s): q.put((i, (random.Random(s).random(), np.random.default_rng(s + i).random(), np.random.default_rng(s).random())))
def worker(q, i): q.put((i, (random.Random(seed + i).random(), np.random.RandomState(seed).rand())))
if __name__ == "__main__":
    out = {}
    if how == "threads":
        ts = [threading.Thread(target=lambda i=i: out.__setitem__(i, random.Random(time.time_ns()).random())) for i in range(4)]
        for t in ts: t.start(); t.join()
    elif how in ("fork", "spawn", "forkserver"):
        c = mp.get_context(how); q = c.Queue(); ps = [c.Process(target=put, args=(q, i)) for i in range(3)]
        for p in ps: p.start()
        out = dict(q.get() for p in ps)
        for p in ps: p.join()
    elif how == "passed":
        c = mp.get_context("fork"); q = c.Queue(); ps = [c.Process(target=passed, args=(q, i, time.time_ns())) for i in range(3)]
        for p in ps: p.start()
        out = dict(q.get() for p in ps)
        for p in ps: p.join()
    elif how == "fork_late":
        c = mp.get_context("fork"); q = c.Queue(); ps = [c.Process(target=worker, args=(q, i)) for i in range(3)]
        for p in ps: p.start()
        out = dict(q.get() for p in ps)
        for p in ps: p.join()
    elif how == "main_first_late":
        random.seed(seed); np.random.seed(seed)
        print(random.random(), np.random.rand())
        c = mp.get_context("fork"); q = c.Queue(); ps = [c.Process(target=worker, args=(q, i)) for i in range(3)]
        for p in ps: p.start()
        out = dict(q.get() for p in ps)
        for p in ps: p.join()
    for k in sorted(out): print(k, out[k])
