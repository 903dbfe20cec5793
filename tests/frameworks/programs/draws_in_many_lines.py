import os
for i in range(500):
    exec(compile('\n' * i + 'os.urandom(1)', 'u.py', 'exec'))
