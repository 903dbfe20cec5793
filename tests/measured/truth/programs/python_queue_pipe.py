# two processes write to one pipe under a lock, read as it arrives
import multiprocessing

def write(w, connection, lock):
    for i in range(30):
        value = sum(1.0 / (n + i + w) for n in range(1, 4000 + 1500 * (i % 3)))
        with lock:
            connection.send((w, i, value))
    connection.close()
if __name__ == "__main__":
    reader, writer = multiprocessing.Pipe(duplex=False)
    lock = multiprocessing.Lock()
    workers = [multiprocessing.Process(target=write, args=(w, writer, lock)) for w in range(2)]
    for worker in workers:
        worker.start()
    running, order = 0.0, []
    for _ in range(60):
        w, i, value = reader.recv()
        order.append("%d.%d" % (w, i))
        running = running * 0.9 + value
    for worker in workers:
        worker.join()
    print(order, running.hex())
