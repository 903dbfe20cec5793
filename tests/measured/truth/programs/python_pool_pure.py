# Pool(2).map over tasks that draw nothing
import math
import multiprocessing

def integral(k):
    return sum(math.sin(k * x / 20000.0) / 20000.0 for x in range(20000))
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print([x.hex() for x in pool.map(integral, range(60))])
