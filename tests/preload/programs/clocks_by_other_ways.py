import os, threading
os.times()
hash(threading.get_native_id())
os.getpgrp()
os.getsid(0)
os.statvfs('/')
os.listdir('/proc')
os.listdir('.')
hash(os.getppid())
