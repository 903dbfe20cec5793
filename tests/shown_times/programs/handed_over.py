"""A clock by another name: nothing of the file is known."""

import time

now = time.time
start = time.time()  # reason
print(time.time() - start)  # reason
print(now())
