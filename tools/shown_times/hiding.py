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
from formatters import is_plain_formatter
from nodes import is_stored, last_name, names_imported, simple_names, text_of, values_of_words


def hides(names):
    """True for such a file; `names` are those of its tree."""
    return any(RULES[type(node)](node, names) for node in names.scopes.of(*RULES))


def _of_nonlocal(node, names):
    return True


def _of_import(node, names):
    return not names_imported(node).isdisjoint(HIDING_MODULES)


def _of_import_from(node, names):
    is_hiding = not names_imported(node).isdisjoint({"*", *HIDING_NAMES})
    return is_hiding or node.module in HIDING_MODULES


def _of_constant(node, names):
    return text_of(node) in HIDING_TEXTS


def _of_name(node, names):
    """`vars(args)` is an object's, `vars()` the scope's."""
    around = names.scopes.parents[node]
    is_of_object = node.id == "vars" and isinstance(around, ast.Call) and around.args
    is_module = node.id == "__name__" and isinstance(around, ast.Subscript)
    return is_module or (node.id in HIDING_NAMES | HIDING_BUILTINS and not is_of_object)


def _of_attribute(node, names):
    """Python that the file starts may read what this one prints."""
    call = names.scopes.call_of(node)
    if call is not None and call.args and node.attr in HIDING_METHODS:
        return True  # model.eval() has no arguments
    is_turned = is_stored(node) and node.attr in STREAMS
    return is_turned or node.attr in HIDING_ATTRIBUTES or names.meaning(node) == "sys.executable"


def _of_keyword(node, names):
    return node.arg == "record" and getattr(node.value, "value", None) is True


def _of_class(node, names):
    """A handler of logging may do anything with what is logged."""
    return names.is_of_logging(node) and not is_plain_formatter(node, names.meaning)


def _of_call(node, names):
    rule = RULES_OF_CALLS.get(last_name(node.func), _of_other_call)
    return rule(node, names)


def _of_other_call(node, names):
    return False


def _logs_into_object(node, names):
    """A log that goes into an object of the file's."""
    return not all(_is_harmless_place(place, names) for place in node.args[:1])


def _of_loguru(node, names):
    return names.meaning(node.func)[:7] == "loguru." and _logs_into_object(node, names)


def _logs_into_file(node, names):
    """A log that goes into a file that is named again."""
    files = [*node.args[:1], *values_of_words(node, "filename")]
    return any(_is_named_again(file, names) for file in files)


def _is_harmless_place(place, names):
    is_text = isinstance(place, ast.Constant) and not _is_named_again(place, names)
    return is_text or names.meaning(place) in STANDARD


def _is_named_again(place, names):
    """A text that stands elsewhere too, or a name that is opened."""
    if isinstance(place, ast.Constant):
        values = [node.value for node in names.scopes.of(ast.Constant)]
        return values.count(place.value) > 1
    return isinstance(place, ast.Name) and place.id in _opened_names(names)


def _opened_names(names):
    calls = [node for node in names.scopes.of(ast.Call) if getattr(node.func, "id", "") == "open"]
    return set().union(*(simple_names(call.args) for call in calls))


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
RULES_OF_CALLS = {
    "FileHandler": _logs_into_file,
    "StreamHandler": _logs_into_object,
    "add": _of_loguru,
    "basicConfig": _logs_into_file,
}
