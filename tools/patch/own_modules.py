"""The modules of the user's that a script imports, and those that they import in turn.

They are looked for beside the script, and beside the module that imports them; what a changed
`sys.path` adds is not found.
"""

import itertools
import os


def own_modules(files, script):
    """Their names. Reads their files into `files`."""
    names = set()
    paths = [script]
    for path in paths:
        for name, there in _modules_imported_by(files, path, script):
            names.add(name)
            paths += [module for module in there if module not in paths]
    return names


def _modules_imported_by(files, path, script):
    """The name of each, and its files; more than once where several are imported of one."""
    file = files.python(path)
    imported = file.imports.values() if file else ()
    folders = {os.path.dirname(path), os.path.dirname(script)}
    for meaning, folder in itertools.product(imported, folders):
        parts = meaning.split(".")
        there = _files_of_module(folder, parts)
        if there:
            yield parts[0], there


def _files_of_module(folder, parts):
    """Of a.b: a.py or a/__init__.py, and those of b in a."""
    places = itertools.accumulate([folder, *parts], os.path.join)
    modules = itertools.product(itertools.islice(places, 1, None), (".py", "/__init__.py"))
    return list(filter(os.path.isfile, map("".join, modules)))
