# Pool(2).map over tasks that seed a generator of their own
import multiprocessing
import random
def task(i):
    return random.Random(i).random()
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(task, range(40), chunksize=1))
