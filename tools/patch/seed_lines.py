"""The lines that seed the generators of modules, in the script that was started."""

import ast
import itertools
from typing import Dict, NamedTuple

from items import Edit, ItemKind
from names import NAMES
from python_code import IMPORTS

CUBLAS_LINES = ["import os", 'os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")']


class Head(NamedTuple):
    """The beginning of a script, up to its last import before something draws."""

    end: int  # its last line
    first_import: int  # the line of the first import that is not of __future__
    modules: Dict[str, str]  # imported whole: by which name


def add_seed_lines(file, modules, seed, settings, own):
    """`settings`: what use_deterministic_algorithms() of torch gets; "" where it is not called.
    `own`: the names of the user's modules."""
    head = _head_of(file, modules, own)
    hidden = _free_beginning(file, modules)
    missing = [module for module in sorted(modules) if module not in head.modules]
    lines = [f"import {module} as {hidden}{module}" for module in missing]
    for module in sorted(modules):
        name = head.modules.get(module, hidden + module)
        seeder = NAMES["generators"][module][0].replace(module, name, 1)
        lines.append(f"{seeder}({seed})")
        if module == "torch" and settings:
            lines.append(f"{name}.use_deterministic_algorithms({settings})")
            before = (head.first_import or head.end + 1) - 1
            _add_lines(file, before, CUBLAS_LINES, ItemKind.CUBLAS_SETTING)
    _add_lines(file, head.end, lines, ItemKind.GENERATOR, " and ".join(sorted(modules)))


def _head_of(file, modules, own):
    end = 0
    first_import = 0
    known = {}
    for statement in file.tree.body:
        imported = _modules_of(statement)
        if statement.lineno == end and not imported:
            # Behind the semicolon of an import: the lines come before both.
            end -= 1
            known = {}
            break
        knows_all = known.keys() >= modules
        if _may_draw(file, statement, modules) or (knows_all and own.intersection(imported)):
            break
        if imported or (end == 0 and _is_docstring(statement)):
            end = statement.end_lineno
        if imported and "__future__" not in imported:
            first_import = first_import or statement.lineno
        known.update(_whole_modules(statement))
    sure = {module: name for module, name in known.items() if _still_means(file, name, module)}
    return Head(end, first_import, sure)


def _modules_of(statement):
    """The packages that it imports something of."""
    if isinstance(statement, ast.ImportFrom):
        return {(statement.module or name.name).split(".")[0] for name in statement.names}
    if isinstance(statement, ast.Import):
        return {name.name.split(".")[0] for name in statement.names}
    return set()


def _whole_modules(statement):
    """ "numpy" and "np" of `import numpy as np`."""
    if not isinstance(statement, ast.Import):
        return {}
    known = {}
    for name in statement.names:
        package = name.name.split(".")[0]
        known[name.name if name.asname else package] = name.asname or package
    return known


def _may_draw(file, statement, modules):
    """True for what the lines have to stand before."""
    blocks = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While)
    if isinstance(statement, blocks):
        return True
    is_import = isinstance(statement, IMPORTS)
    return not is_import and any(file.draws(module, statement) for module in modules)


def _is_docstring(statement):
    return isinstance(getattr(statement, "value", None), ast.Constant)


def _still_means(file, name, module):
    """True if nothing else can have given the name another meaning."""
    is_bound = (file.tree, name) in file.bound or "*" in file.imports
    return file.imports[name] == module and not is_bound


def _free_beginning(file, modules):
    """As many underscores as make a module's name one that the script does not use."""
    beginnings = ("_" * count for count in itertools.count(1))
    return next(
        beginning
        for beginning in beginnings
        if not {beginning + module for module in modules} & file.names
    )


def _add_lines(file, line, lines, kind, about=""):
    """Behind that line of the file."""
    end = "\r\n" if "\r\n" in file.text else "\n"
    at = file.starts[line] if line < len(file.starts) else len(file.text)
    is_behind_cut_line = at > file.starts[0] and file.text[at - 1] not in "\r\n"
    text = "".join(end + new if is_behind_cut_line else new + end for new in lines)
    there = file.edits.by_place.pop((at, at), None)
    known = there.text if there else ""
    text = known + text if known.endswith(end) else text + known
    file.edits.add((at, at), Edit(text, kind, about))
