import ctypes, os, sys
os.urandom(4)
libc = ctypes.CDLL(None)
if len(sys.argv) < 2:
  words = (ctypes.c_char_p * 5)(b'python3', b'-c', open('/proc/self/cmdline', 'rb').read().split(b'\0')[2], b'x', None)
  libc.syscall(59 if os.uname().machine == 'x86_64' else 221, b'/usr/bin/python3', words, ctypes.c_void_p.in_dll(libc, 'environ'))
