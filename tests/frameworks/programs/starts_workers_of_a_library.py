import ctypes, os, sys
os.urandom(4)
library = ctypes.CDLL(sys.argv[1])

## by_itself
library.start(int(sys.argv[2]))

## by_a_function_of_transformers
function = sys.argv[2]
code = 'def ' + function + '(): library.start(2)'
exec(compile(code, '/x/transformers/tokenization_utils_fast.py', 'exec'))
globals()[function]()
