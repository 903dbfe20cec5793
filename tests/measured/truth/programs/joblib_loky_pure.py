# joblib over processes with a pure function
import sys
try:
    import joblib
except ImportError as missing:
    print(missing)
    sys.exit(77)

def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
if __name__ == "__main__":
    print(joblib.Parallel(n_jobs=2)(joblib.delayed(collatz)(n) for n in range(1, 600)))
