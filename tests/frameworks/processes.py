"""multiprocessing in its three ways: each child draws by its index."""
import multiprocessing, os, random, sys


def draw(index, queue):
    queue.put((index, random.random(), os.urandom(8).hex()))


if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    for index in range(3):  # one at a time: which of several comes first is a race
        child = context.Process(target=draw, args=(index, queue))
        child.start()
        print(*queue.get())
        child.join()
    print("parent", random.random())
