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
    STANDARD,
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
    if names.meaning(node) == "sys.executable":
        return True
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
    return names.is_of_logging(node)


def _of_call(node, names):
    """A log that goes into an object of the file's, or into a file that it names again; and a file
    that starts Python, which may read what this one prints."""
    last = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if last == "StreamHandler" or (last == "add" and names.meaning(node.func)[:7] == "loguru."):
        return any(not _is_harmless_place(place, names) for place in node.args[:1])
    if last in ("FileHandler", "basicConfig"):
        places = [word.value for word in node.keywords if word.arg == "filename"]
        return any(_is_named_again(place, names) for place in [*node.args[:1], *places])
    return False


def _is_harmless_place(place, names):
    is_text = isinstance(place, ast.Constant) and not _is_named_again(place, names)
    return is_text or names.meaning(place) in STANDARD


def _is_named_again(place, names):
    """A text that stands elsewhere too, or a name that is opened."""
    for node in names.scopes.parents:
        if isinstance(place, ast.Constant) and isinstance(node, ast.Constant):
            if node is not place and node.value == place.value:
                return True
        elif isinstance(place, ast.Name) and isinstance(node, ast.Call):
            is_open = getattr(node.func, "id", "") == "open"
            if is_open and any(getattr(word, "id", "") == place.id for word in node.args):
                return True
    return False


RULES = {
    ast.Nonlocal: _of_nonlocal,
    ast.Import: _of_import,
    ast.ImportFrom: _of_import_from,
    ast.Constant: _of_constant,
    ast.Name: _of_name,
    ast.Attribute: _of_attribute,
    ast.keyword: _of_keyword,
    ast.ClassDef: _of_class,
    ast.Call: _of_call,
}
