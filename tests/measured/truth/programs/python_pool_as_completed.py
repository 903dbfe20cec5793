# as_completed: results of two processes as they come
import concurrent.futures

def work(i):
    total = 0.0
    for n in range(1, 30000 * (1 + i % 3)):
        total += 1.0 / n
    return total + i
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(work, i) for i in range(20)]
        total = 0.0
        for future in concurrent.futures.as_completed(futures):
            total = total / 2 + future.result()
    print(total.hex())
