from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool


def by_executor(workers):
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(abs, range(8)))


def by_pool(workers):
    with ThreadPool(workers) as pool:
        return pool.map(abs, range(8))
