# the order in which workers hand in results
import multiprocessing
import time
def work(queue, i):
    total = 0
    for n in range(200000): total += n * i
    queue.put(i)
if __name__ == "__main__":
    queue = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(queue, i)) for i in range(6)]
    for worker in workers: worker.start()
    print([queue.get() for _ in workers])
    for worker in workers: worker.join()
