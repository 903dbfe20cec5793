import os
os.urandom(2)
n = int(open('n').read()) if os.path.exists('n') else 0

## in_place
open('n', 'w').write(str(n + 1))

## replaced
open('new', 'w').write(str(n + 1))
os.replace('new', 'n')
