import os
os.urandom(2)
n = open('n').read()
open('n', 'w').write(n)
