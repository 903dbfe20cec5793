import os, signal, sys
pipe = os.pipe()
os.urandom(4)
child = os.fork()
if child == 0:
  os.urandom(4)

## by_its_parent
  import _decimal
  os.write(pipe[1], b'x')
  while True: signal.pause()
os.read(pipe[0], 1)
os.kill(child, getattr(signal, sys.argv[1]))
os.wait()

## by_itself
  os.kill(os.getpid(), signal.SIGKILL)
os.wait()
