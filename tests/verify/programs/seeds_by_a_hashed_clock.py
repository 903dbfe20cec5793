# The seed that `verify` has to learn is passed before the line at which a run may be ended.
import hashlib
import random
import time

digest = hashlib.sha256(str(time.time()).encode()).hexdigest()
seed = int(digest[:8], 16) + 2**24
random.seed(seed)
print(random.random())
print("epoch 1", flush=True)
