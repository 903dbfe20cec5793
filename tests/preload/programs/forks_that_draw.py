import os, sys
def draw():
  for i in range(8): print(os.getrandom(8).hex())
  sys.stdout.flush()
for i in range(2):
  if os.fork() == 0:
    if os.fork() == 0: draw(); os._exit(0)
    os.wait(); draw(); os._exit(0)
  os.wait()
draw()
