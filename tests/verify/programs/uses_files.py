import ctypes, os, subprocess, sys, _ctypes
sys.path.insert(0, 'lib')
import deep
print(deep.x, open('data.txt').read(), len(os.listdir('set')), os.path.exists('flag'))
_ctypes.dlclose(ctypes.CDLL('./plugin.so')._handle)
subprocess.run(['bash', '-c', '. ./more.sh; ./tool'])
open('out', 'w').write('1')
