import os, time
time.time()

## of_its_own
d = os.environ['TMPDIR'] + '/b.' + str(os.getpid())
os.mkdir(d)
open(d + '/f', 'w').close()
print(os.listdir(d))
os.remove(d + '/f')
os.rmdir(d)

## of_processes
print(len(os.listdir('/proc')) > 0)
