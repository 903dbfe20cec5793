# two producer threads and queue.Queue, items in order of arrival
import queue
import threading
import zlib

def produce(w, items):
    for i in range(40):
        data = bytes((i * n + w) % 256 for n in range(20000 + 10000 * (i % 3)))
        items.put((w, i, zlib.crc32(zlib.compress(data))))
items = queue.Queue(maxsize=4)
threads = [threading.Thread(target=produce, args=(w, items)) for w in range(2)]
for thread in threads:
    thread.start()
running, order = 0, ""
for _ in range(80):
    w, i, value = items.get()
    order += str(w)
    running = (running * 31 + value) % (1 << 61)
for thread in threads:
    thread.join()
print(order, running)
