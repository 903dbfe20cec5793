import os, time
open(f'model_{time.time_ns() % 1000003}', 'w').write('1')
os.path.exists('cache') or open('cache', 'w').write('1')
