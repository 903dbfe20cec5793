import ctypes, os, sys
libc = ctypes.CDLL(None); texts = ctypes.c_char_p * 4
od = sys.argv[1].encode(); arguments = texts(b'od', b'-N8', b'/dev/urandom'); nothing = texts()

## popen
del os.environ['LD_PRELOAD']
libc.popen.restype = ctypes.c_void_p
libc.pclose.argtypes = [ctypes.c_void_p]
libc.pclose(libc.popen(od + b' -N8 /dev/urandom', b'w'))

## execle
libc.execle(od, b'od', b'-N8', b'/dev/urandom', None, nothing)

## execveat
libc.execveat(-100, od, arguments, nothing, 0)

## execveat_of_a_descriptor
fd = os.open(od, os.O_RDONLY)
libc.execveat(fd, b'', arguments, nothing, 0x1000)

## raw_execve
libc.syscall(int(sys.argv[2]), od, arguments, nothing)

## raw_execveat
libc.syscall(int(sys.argv[3]), -100, od, arguments, nothing, 0)
