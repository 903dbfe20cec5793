import os, subprocess, sys
program = sys.argv[1]
for i in range(2): subprocess.run([program, 'plain'])
os.system(program + ' plain')
os.spawnl(os.P_WAIT, program, 'getrandom', 'fork')
