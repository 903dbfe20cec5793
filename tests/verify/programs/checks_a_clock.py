import random, time, mine
begun = time.time()
assert begun > 0
print(random.random(), mine.x)

## and_nothing_more

## and_reads_a_link_and_an_attribute
import os
os.readlink('link')
try: os.getxattr('data', 'user.set')
except OSError: pass

## and_fills_a_cache
import os
if not os.path.exists('cache'): open('cache', 'w').write('1')
print(open('cache').read())

## and_prints_it_under_a_limit
import resource
if resource.getrlimit(resource.RLIMIT_NOFILE)[0] % 2: print(time.time() > 0)
