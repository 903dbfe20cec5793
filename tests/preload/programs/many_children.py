pids = []
for i in range(64):
  pid = os.fork()
  if pid == 0:
    for k in range(100): os.urandom(8)
    if os.fork() == 0: os.urandom(8); os._exit(0)
    os.wait(); os._exit(0)
  pids.append(pid)
for pid in pids: os.waitpid(pid, 0)
