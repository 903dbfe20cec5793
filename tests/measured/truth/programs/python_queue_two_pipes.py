# two processes with a pipe each, read by multiprocessing.connection.wait
import multiprocessing
import multiprocessing.connection
import random

def write(w, connection):
    generator = random.Random(w)
    for i in range(25):
        connection.send((w, sum(generator.random() for _ in range(3000 + 2000 * (i % 4)))))
    connection.close()
if __name__ == "__main__":
    readers, workers = [], []
    for w in range(2):
        reader, writer = multiprocessing.Pipe(duplex=False)
        workers.append(multiprocessing.Process(target=write, args=(w, writer)))
        workers[-1].start()
        writer.close()
        readers.append(reader)
    running, order = 0.0, ""
    while readers:
        for reader in multiprocessing.connection.wait(readers):
            try:
                w, value = reader.recv()
            except EOFError:
                readers.remove(reader)
                continue
            order += str(w)
            running = running * 0.9 + value
    for worker in workers:
        worker.join()
    print(order, running.hex())
