import os, random, time
os.urandom(1)
print(time.time())
