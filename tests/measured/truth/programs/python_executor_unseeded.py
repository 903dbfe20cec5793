# ProcessPoolExecutor over tasks that draw
import concurrent.futures
import random
def task(i):
    return sum(random.random() for _ in range(1000 + 1000 * (i % 3)))
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print(list(pool.map(task, range(40))))
