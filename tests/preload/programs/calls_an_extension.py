import ctypes, time
code = ctypes.PyDLL('site-packages/extension.so')
for name in ('read_clock', 'call_back'):
  getattr(code, name).restype = ctypes.py_object
code.call_back.argtypes = [ctypes.py_object]
