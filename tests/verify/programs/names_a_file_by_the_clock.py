import os, time
open(f'model_{time.time_ns()}', 'w').write('1')
os.path.exists('cache') or open('cache', 'w').write('1')
