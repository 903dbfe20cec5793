# ThreadPool.map over tasks that draw nothing
import multiprocessing.pool
import zlib

def checksum(i):
    data = bytes((i * n) % 251 for n in range(40000))
    return zlib.crc32(zlib.compress(data, 9))
with multiprocessing.pool.ThreadPool(2) as pool:
    print(pool.map(checksum, range(40)))
