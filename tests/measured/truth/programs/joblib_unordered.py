# joblib's generator_unordered: a running sum in order of arrival
import sys
try:
    import joblib
except ImportError as missing:
    print(missing)
    sys.exit(77)

def work(i):
    total = 0.0
    for n in range(1, 20000 + 15000 * (i % 3)):
        total += 1.0 / (n * (i + 1))
    return i, total
if __name__ == "__main__":
    results = joblib.Parallel(n_jobs=2, batch_size=1, return_as="generator_unordered")(joblib.delayed(work)(i) for i in range(40))
    order, running = [], 0.0
    for i, total in results:
        order.append(i)
        running = running * 0.7 + total
    print(order, running.hex())
