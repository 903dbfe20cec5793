# a home-made loader: two processes put items into one queue, sorted by index
import math
import multiprocessing

def load(indices, queue):
    for i in indices:
        queue.put((i, sum(math.sin(i * n) for n in range(1, 3000 + 2000 * (i % 3)))))
if __name__ == "__main__":
    queue = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=load, args=(range(w, 60, 2), queue)) for w in range(2)]
    for worker in workers:
        worker.start()
    items = sorted(queue.get() for _ in range(60))
    for worker in workers:
        worker.join()
    running = 0.0
    for _, value in items:
        running = running * 0.9 + value
    print(running.hex())
