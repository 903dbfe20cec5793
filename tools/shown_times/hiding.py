"""Files of which nothing can be said: they reach names, or what was printed, unseen.

Nothing is known of a file that executes texts, looks names up by their texts, holds a clock by
another name, or turns elsewhere what is printed and logged.
"""

import ast

from calls import (
    HIDING_ATTRIBUTES,
    HIDING_BUILTINS,
    HIDING_METHODS,
    HIDING_MODULES,
    HIDING_NAMES,
    HIDING_TEXTS,
    STREAMS,
)


def hides(names):
    """True for such a file; `names` are those of its tree."""
    return any(_hides(node, names) for node in names.scopes.parents)


def _hides(node, names):
    rule = RULES.get(type(node))
    return rule is not None and rule(node, names)


def _of_nonlocal(node, names):
    return True


def _of_import(node, names):
    return any(alias.name in HIDING_MODULES for alias in node.names)


def _of_import_from(node, names):
    imported = {alias.name for alias in node.names}
    return bool(imported & {"*", *HIDING_NAMES}) or node.module in HIDING_MODULES


def _of_constant(node, names):
    return isinstance(node.value, str) and node.value in HIDING_TEXTS


def _of_name(node, names):
    """`vars(args)` is an object's, `vars()` the scope's."""
    around = names.scopes.parents[node]
    is_of_object = node.id == "vars" and isinstance(around, ast.Call) and around.args
    is_module = node.id == "__name__" and isinstance(around, ast.Subscript)
    return is_module or (node.id in HIDING_NAMES | HIDING_BUILTINS and not is_of_object)


def _of_attribute(node, names):
    around = names.scopes.parents[node]
    is_called_with = isinstance(around, ast.Call) and around.func is node and bool(around.args)
    if node.attr in HIDING_METHODS and is_called_with:  # model.eval() has no arguments
        return True
    is_stored = isinstance(node.ctx, ast.Store) and node.attr in STREAMS
    return is_stored or node.attr in HIDING_ATTRIBUTES | HIDING_NAMES


def _of_keyword(node, names):
    return node.arg == "record" and getattr(node.value, "value", None) is True


def _of_class(node, names):
    """A handler of logging may do anything with what is logged."""
    bases = [getattr(base, "attr", getattr(base, "id", "")) for base in node.bases]
    return any(base.endswith(("Handler", "Formatter", "Filter")) for base in bases)


RULES = {
    ast.Nonlocal: _of_nonlocal,
    ast.Import: _of_import,
    ast.ImportFrom: _of_import_from,
    ast.Constant: _of_constant,
    ast.Name: _of_name,
    ast.Attribute: _of_attribute,
    ast.keyword: _of_keyword,
    ast.ClassDef: _of_class,
}
