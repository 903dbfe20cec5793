"""Makes modules of the texts that the command carries, each after those that it imports.

Arguments: a file with what a log says, names.json, and the names and texts as JSON.
"""

import json
import sys
import types

for name, text in json.loads(sys.argv[3]):
    sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec"), sys.modules[name].__dict__)
