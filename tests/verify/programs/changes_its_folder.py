import os, time, mine
begun = time.time()
assert begun > 0
os.chdir('sub')
print(os.urandom(2))
