import ctypes, os, sys
library = ctypes.CDLL('libcurand.so.10')
library.curandCreateGenerator(ctypes.byref(ctypes.c_void_p()), 100)
os.execv(sys.argv[1], sys.argv[2:])
