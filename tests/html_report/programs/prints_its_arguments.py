import sys, time, ctypes
libc = ctypes.CDLL(None)
libc.srand(time.time_ns() & 0xffffff)
value = libc.rand() / 2**40
print(sys.argv[1], value)
print('loss', value)
open(sys.argv[2], 'w').write(sys.argv[1] + str(value))
