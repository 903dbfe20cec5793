import ctypes, os, signal, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def texts(*all): return (ctypes.c_char_p * (len(all) + 1))(*all)
def kill(): os.kill(os.getpid(), signal.SIGKILL)
os.urandom(4)
