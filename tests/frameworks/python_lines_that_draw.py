import random
import os, uuid
def f():
    return os.urandom(4)
f()
os.urandom(4)
for i in range(3):
    random.seed()
uuid.uuid4()
def g(): uuid.uuid4()
g()
