import os, random
old = os.environ.copy()
os.environ.clear()
os.environ.update(old)
import ctypes
ctypes.CDLL(None).getenv(b'MKL_CBWR')
