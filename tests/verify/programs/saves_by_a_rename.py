import os, shutil, time
shutil.rmtree('checkpoint', True)
os.makedirs('new/checkpoint', exist_ok=True)

## last
open('new/last', 'w').write(str(time.time_ns() % 1000003))
open('seen', 'w').write('1')
os.replace('new/last', 'last')
shutil.rmtree('new')
print('done')

## checkpoint/last
open('new/checkpoint/last', 'w').write(str(time.time_ns() % 1000003))
open('seen', 'w').write('1')
os.replace('new/checkpoint', 'checkpoint')
shutil.rmtree('new')
print('done')
