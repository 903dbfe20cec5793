import os
os.urandom(2)
print(os.path.exists('flag'))
open('flag', 'w').close()
