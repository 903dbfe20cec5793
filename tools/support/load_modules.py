"""Makes modules of the texts that the command carries, each after those that it imports.

Arguments: their number, their names and texts in turn, and the words that the last one is asked.
"""

import sys
import types

count = int(sys.argv[1])
words = sys.argv[2:]
for name, text in zip(words[: 2 * count : 2], words[1 : 2 * count : 2]):
    sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec"), sys.modules[name].__dict__)
sys.modules[name].answer(words[2 * count :])
