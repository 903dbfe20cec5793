import _xxsubinterpreters as s
code = 'import random, time; random.seed(7); print(random.random()); random.seed(time.time())'
s.run_string(s.create(), code)
