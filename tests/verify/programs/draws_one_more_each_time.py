import ctypes, pathlib
count = pathlib.Path('count')
n = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(n))
libc = ctypes.CDLL(None)
libc.srand(7)
for i in range(n):
    x = libc.rand()
print(x)
