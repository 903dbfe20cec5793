# a pool of spawned processes over tasks that draw nothing
import math
import multiprocessing

def root(i):
    x = 1.0
    for _ in range(40):
        x = x - (math.exp(x) - 2 - i) / math.exp(x)
    return x
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print([x.hex() for x in pool.map(root, range(40))])
