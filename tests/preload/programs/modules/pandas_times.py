import ctypes
code = ctypes.PyDLL('site-packages/pandas/extension.so')
code.read_clock.restype = ctypes.py_object
def now(): return code.read_clock()
