import os, random
if os.fork() == 0: os.urandom(4); os._exit(0)
os.wait()
