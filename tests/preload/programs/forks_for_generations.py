import os
for i in range(20):
  os.urandom(4)
  pid = os.fork()
  if pid: os.waitpid(pid, 0); os._exit(0)
os.urandom(4); print(len(os.listdir('/proc/self/fd')))
