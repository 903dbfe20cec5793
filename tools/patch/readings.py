"""What an expression reads: clocks, ids, entropy of the kernel's; and whether that is a number.

Functions are known by the last part of their names alone: `now()` reads, whoever's it is.
"""

import ast

from names import NAMES, NUMBERS_AND_TEXTS, READERS, last_part
from python_code import inside

NUMBERS_OF_MOMENTS = {"int", "microsecond"}  # `uuid4().int`, `now().microsecond`
OTHER_SOURCES = (ast.Name, ast.BoolOp, ast.IfExp)
TEXTS = (ast.Constant, ast.JoinedStr)  # `%` behind one is a format


def readings(file, value, called=None):
    """The readings in an expression; and whether nothing else can give its value. `called`: a
    function that reads besides those that are known."""
    calls = _calls_of(file, value, READERS | {called})
    parts = [_whole_reading(file, call, value) for call in calls]
    functions = [call.func for call in _calls_of(file, value, NUMBERS_AND_TEXTS)]
    known = set().union(*map(ast.walk, parts + functions))
    return parts, bool(parts) and known.issuperset(inside(value, *OTHER_SOURCES))


def _calls_of(file, value, functions):
    calls = inside(value, ast.Call)
    return [call for call in calls if last_part(file.callee(call)) in functions]


def _whole_reading(file, node, value):
    """With what is asked of the reading at once: `datetime.now().timestamp()` of its `now()`."""
    while node is not value and _is_asked(file, node):
        node = file.parents[node]
    return node


def _is_asked(file, node):
    above = file.parents[node]
    is_of_bytes = file.full(getattr(above, "func", above)).endswith("from_bytes")
    return is_of_bytes or isinstance(above, ast.Attribute) or node in file.calls


def is_number(file, node):
    """True where a number can stand in: what takes it may ask more of a text, or of a moment."""
    rule = NUMBERS.get(type(node), _is_no_number)
    return rule(file, node) and not file.is_in_text(node)


def _is_no_number(*_):
    return False


def _is_number_given(file, call):
    return last_part(file.callee(call)) in NAMES["numbers"]


def _is_number_asked(_, attribute):
    return attribute.attr in NUMBERS_OF_MOMENTS


def _is_sum(file, operation):
    """`time() % 7`, or `rank + time()`; behind a text `%` makes another text."""
    is_format = isinstance(operation.left, TEXTS)
    return is_number(file, operation.left) or (not is_format and is_number(file, operation.right))


NUMBERS = {ast.Attribute: _is_number_asked, ast.BinOp: _is_sum, ast.Call: _is_number_given}
