# imap_unordered: pure tasks, results in order of arrival
import multiprocessing

def count_primes(limit):
    return limit, sum(all(n % d for d in range(2, int(n ** 0.5) + 1)) for n in range(2, limit))
if __name__ == "__main__":
    results = []
    with multiprocessing.Pool(2) as pool:
        for result in pool.imap_unordered(count_primes, [4000 + 2500 * (i * 7 % 4) for i in range(24)]):
            results.append(result)
    print(results)
