import ctypes, time
libc = ctypes.CDLL(None)
n = int(open('count').read())
open('count', 'w').write(str(n + 1))
for i in range(n): libc.srand(5)
print(n)
