"""The lines that seed the generators of modules, in the script that was started.

They stand behind the script's first imports, where these give the modules their names, and before
anything that may draw: a definition, a loop, or the import of a module of the user's. A module that
is not known there by a name that surely means it gets an import of its own.
"""

import ast

from draws import draws_in, seeder_of
from items import Edit, ItemKind
from python_code import IMPORTS, bindings

CUBLAS_LINES = ["import os", 'os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")']
BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While)


class Head:
    """The beginning of a script, up to its last import before something draws."""

    def __init__(self):
        self.end = 0  # its last line
        self.starts = []  # of imports that are not of __future__: how many lines stand before
        self.modules = {}  # imported whole: by which name

    def ends_before(self, statement):
        """False behind the semicolon of an import."""
        return statement.lineno != self.end or isinstance(statement, IMPORTS)

    def take(self, statement):
        if isinstance(statement, IMPORTS):
            self._take_import(statement)
        elif self.end == 0 and _is_docstring(statement):
            self.end = statement.end_lineno

    def _take_import(self, statement):
        self.end = statement.end_lineno
        self.modules.update(_whole_modules(statement))
        if "__future__" not in _packages_of(statement):
            self.starts.append(statement.lineno - 1)

    def cut(self):
        """Without its last line, and what that may have imported."""
        self.end -= 1
        self.modules = {}


def add_seed_lines(file, modules, seed, settings, own):
    """`settings`: what use_deterministic_algorithms() of torch gets; "" where it is not called.
    `own`: the names of the user's modules."""
    head = _head_of(file, modules, own)
    hidden = _free_beginning(file, modules)
    names = {module: head.modules.get(module, hidden + module) for module in sorted(modules)}
    missing = [module for module in names if module not in head.modules]
    lines = [f"import {module} as {names[module]}" for module in missing]
    lines += [
        f"{seeder_of(module).replace(module, name, 1)}({seed})" for module, name in names.items()
    ]
    if settings and "torch" in modules:
        lines.append(f"{names['torch']}.use_deterministic_algorithms({settings})")
        _add_lines(file, [*head.starts, head.end][0], CUBLAS_LINES, ItemKind.CUBLAS_SETTING)
    _add_lines(file, head.end, lines, ItemKind.GENERATOR, " and ".join(names))


def _head_of(file, modules, own):
    head = Head()
    for statement in file.tree.body:
        if not head.ends_before(statement):
            head.cut()
            break
        is_own = head.modules.keys() >= modules and not own.isdisjoint(_packages_of(statement))
        if is_own or _may_draw(file, statement, modules):
            break
        head.take(statement)
    head.modules = {
        module: name for module, name in head.modules.items() if _still_means(file, name, module)
    }
    return head


def _packages_of(statement):
    """The packages that it imports something of."""
    return {meaning.lstrip(".").split(".")[0] for _, meaning in bindings(statement)}


def _whole_modules(statement):
    """ "numpy" and "np" of `import numpy as np`."""
    imported = bindings(statement) if isinstance(statement, ast.Import) else []
    return {module: name for name, module in imported}


def _may_draw(file, statement, modules):
    """True for what the lines have to stand before."""
    is_block = isinstance(statement, BLOCKS)
    return is_block or any(draws_in(file, module, statement) for module in modules)


def _is_docstring(statement):
    return isinstance(getattr(statement, "value", None), ast.Constant)


def _still_means(file, name, module):
    """True if nothing else can have given the name another meaning."""
    is_bound = (file.tree, name) in file.bound or "*" in file.imports
    return file.imports[name] == module and not is_bound


def _free_beginning(file, modules):
    """As many underscores as make a module's name one that the script does not use."""
    beginning = "_"
    while not file.names.isdisjoint([beginning + module for module in modules]):
        beginning += "_"
    return beginning


def _add_lines(file, line, lines, kind, about=""):
    """Behind that line of the file. Of what is inserted there already, lines stay in front, and the
    beginning of a statement behind."""
    end = "\r\n" if "\r\n" in file.text else "\n"
    at = file.start_of_line(line)
    is_behind_cut_line = at > file.starts[0] and file.text[at - 1] not in "\r\n"
    text = end.join(["", *lines] if is_behind_cut_line else [*lines, ""])
    there = file.edits.take((at, at))
    text = there + text if there.endswith(end) else text + there
    file.edits.add((at, at), Edit(text, kind, about))
