import ctypes, sys
libc = ctypes.CDLL(None)
libc.srand(int(sys.argv[1]) % 100000)
print(libc.rand())
