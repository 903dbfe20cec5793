import os, subprocess, sys
for i in 1, 2: os.urandom(4)
os.chmod(sys.argv[1], 0o500)
if os.fork(): os.wait()
else: os.urandom(8); os._exit(0)
subprocess.run(['od', '-N8', '/dev/urandom'])
os.chmod(sys.argv[1], 0o700)
