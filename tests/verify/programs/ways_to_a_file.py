import os, sys, time
if os.path.lexists('model'): os.unlink('model')
here = os.open('.', os.O_RDONLY)
new = sys.argv[1] + '/' + str(time.time_ns() % 1000003)
open(new, 'w').write(str(time.time_ns() % 1000003))

## rename
os.rename(new, 'model')

## link
os.link(new, 'model')

## symlink
os.symlink(new, 'model')

## symlinkat
os.symlink(new, 'model', dir_fd=here)

## renameat
os.rename(new, 'model', dst_dir_fd=here)

## linkat
os.link(new, 'model', dst_dir_fd=here)

## child
os.spawnlp(os.P_WAIT, 'mv', 'mv', new, 'model')

## large
open('model', 'wb').truncate(65 << 20); open('model', 'r+').write(str(time.time_ns() % 1000003))

## last_of_many
[open(f'part-{i}', 'w').write(str(time.time_ns() % 1000003 if i == 1001 else 0)) for i in range(1002)]
