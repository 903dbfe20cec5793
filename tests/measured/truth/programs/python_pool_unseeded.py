# Pool(2).map over tasks that draw
import multiprocessing
import random
def task(i):
    return sum(random.random() for _ in range(1000 + 1000 * (i % 3)))
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(task, range(40), chunksize=1))
