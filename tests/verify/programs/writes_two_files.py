import time
open('same', 'w').write('1')
open('result', 'w').write(str(time.time_ns() % 1000003))
print('done')
