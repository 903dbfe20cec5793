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
    nodes = names.scopes.of(*RULES)
    return any(rule(node, names) for node in nodes for rule in RULES[type(node)])


def _is_one(node, names):
    return True


# Imports


def _imports_hiding_module(node, names):
    return not names_imported(node).isdisjoint(HIDING_MODULES)


def _imports_of_hiding_module(node, names):
    return node.module in HIDING_MODULES


def _imports_hiding_name(node, names):
    return not names_imported(node).isdisjoint({"*", *HIDING_NAMES})


# Names and texts


def _is_hiding_text(node, names):
    return text_of(node) in HIDING_TEXTS


def _is_hiding_name(node, names):
    return node.id in HIDING_NAMES | HIDING_BUILTINS - {"vars"}


def _is_vars_of_scope(node, names):
    """`vars()`; `vars(args)` is an object's."""
    around = names.scopes.parents[node]
    is_of_object = isinstance(around, ast.Call) and bool(around.args)
    return node.id == "vars" and not is_of_object


def _names_own_module(node, names):
    """`sys.modules[__name__]`."""
    return node.id == "__name__" and isinstance(names.scopes.parents[node], ast.Subscript)


# Attributes


def _is_hiding_attribute(node, names):
    return node.attr in HIDING_ATTRIBUTES


def _runs_text(node, names):
    """`frame.query("...")`; model.eval() has no arguments."""
    call = names.scopes.call_of(node)
    return node.attr in HIDING_METHODS and bool(getattr(call, "args", None))


def _turns_stream(node, names):
    return is_stored(node) and node.attr in STREAMS


def _names_python(node, names):
    """Python that the file starts may read what this one prints."""
    return names.meaning(node) == "sys.executable"


# What keeps what is shown


def _records(node, names):
    """`Console(record=True)`."""
    return node.arg == "record" and getattr(node.value, "value", None) is True


def _handles_records(node, names):
    """A handler of logging may do anything with what is logged."""
    return names.is_of_logging(node) and not is_plain_formatter(node, names.meaning)


def _leads_logs_elsewhere(node, names):
    rule = RULES_OF_CALLS.get(last_name(node.func), _is_other_call)
    return rule(node, names)


def _is_other_call(node, names):
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
    opened = filter(_opens, names.scopes.of(ast.Call))
    return set().union(*(simple_names(call.args) for call in opened))


def _opens(call):
    return getattr(call.func, "id", "") == "open"


RULES = {
    ast.Nonlocal: (_is_one,),
    ast.Import: (_imports_hiding_module,),
    ast.ImportFrom: (_imports_hiding_name, _imports_of_hiding_module),
    ast.Constant: (_is_hiding_text,),
    ast.Name: (_is_hiding_name, _is_vars_of_scope, _names_own_module),
    ast.Attribute: (_is_hiding_attribute, _runs_text, _turns_stream, _names_python),
    ast.keyword: (_records,),
    ast.ClassDef: (_handles_records,),
    ast.Call: (_leads_logs_elsewhere,),
}
RULES_OF_CALLS = {
    "FileHandler": _logs_into_file,
    "StreamHandler": _logs_into_object,
    "add": _of_loguru,
    "basicConfig": _logs_into_file,
}
