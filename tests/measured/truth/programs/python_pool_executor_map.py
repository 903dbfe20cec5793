# ProcessPoolExecutor.map over tasks that draw nothing
import concurrent.futures
import hashlib

def digest(i):
    value = str(i).encode()
    for _ in range(5000):
        value = hashlib.sha256(value).digest()
    return value.hex()[:16]
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        print(list(pool.map(digest, range(50), chunksize=5)))
