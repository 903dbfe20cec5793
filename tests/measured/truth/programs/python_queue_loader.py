# a home-made loader: two processes put items into one queue, taken as they arrive
import math
import multiprocessing

def load(indices, queue):
    for i in indices:
        queue.put((i, sum(math.sin(i * n) for n in range(1, 3000 + 2000 * (i % 3)))))
    queue.put(None)
if __name__ == "__main__":
    queue = multiprocessing.Queue(maxsize=8)
    workers = [multiprocessing.Process(target=load, args=(range(w, 60, 2), queue)) for w in range(2)]
    for worker in workers:
        worker.start()
    running, order, ended = 0.0, [], 0
    while ended < 2:
        item = queue.get()
        if item is None:
            ended += 1
            continue
        order.append(item[0])
        running = running * 0.9 + item[1]
    for worker in workers:
        worker.join()
    print(order, running.hex())
