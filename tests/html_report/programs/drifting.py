import ctypes, time
libc = ctypes.CDLL(None)
def shuffle():
    libc.srand(time.time_ns() & 0xffffff)
    return libc.rand()
for step in range(12):
    noise = shuffle() if step >= 7 else 0
    print("loss", 1 / (step + 1) + noise * 1e-12)
