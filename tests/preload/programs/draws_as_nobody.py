import os, subprocess

## started
os.urandom(4)
subprocess.run(['od', '-N8', '/dev/urandom'], user=65534)

## forked
os.urandom(4)
if os.fork(): os.wait()
else:
  os.setuid(65534)
  if os.fork(): os.wait(); os._exit(0)
  os.urandom(8)

## by_itself
os.setuid(65534)
for i in range(100): os.getrandom(8)
