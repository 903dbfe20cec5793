import os
try: import _xxsubinterpreters as interpreters
except ImportError: raise SystemExit(77)
interpreters.run_string(interpreters.create(), 'import os, random, secrets; os.urandom(4); secrets.token_hex()')
os.urandom(4)
print('done')
