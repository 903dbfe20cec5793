"""Names that mean something else."""

import time


def print(value):
    results.append(value)


results = []
start = time.time()  # reason
print(time.time() - start)  # reason
assert hash(str(results))
