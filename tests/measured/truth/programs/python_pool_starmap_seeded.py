# starmap over tasks with a seed by index
import multiprocessing
import random

def walk(seed, steps):
    generator = random.Random(seed)
    place = 0.0
    for _ in range(steps):
        place += generator.gauss(0, 1)
    return place
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print([x.hex() for x in pool.starmap(walk, [(i, 3000 + 500 * (i % 5)) for i in range(30)])])
