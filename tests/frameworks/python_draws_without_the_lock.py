import ctypes, re, threading
libc = ctypes.CDLL(None)
def draw(): return libc.rand()
draw()
def numbers():
    yield libc.rand()
next(numbers())
for x in map(lambda i: libc.lrand48(), range(2)): pass
re.sub("a", lambda m: str(libc.random()), "aa")
thread = threading.Thread(target=lambda: libc.lrand48()); thread.start(); thread.join()
sorted([1], key=lambda x: libc.rand())
