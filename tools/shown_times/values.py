"""What an expression gives, as far as it is made of clocks."""

import ast
from typing import NamedTuple

from calls import (
    FUNCTIONS_OF_LISTS,
    FUNCTIONS_OF_NUMBERS,
    PARTS_OF_TIMES,
    TEXT_FUNCTIONS,
    TIMES_OF_NUMBERS,
)


class Value(NamedTuple):
    """What an expression gives.

    "unknown" (not yet), "constant", "count" (a number of things), "options" (of a command line),
    "plain". Of a clock: "reading", "scaled" (in other units, or whole), "date", "duration",
    "durations" (a list), "rate" (of a trusted file), "text", "texts", "group" (with its parts),
    "record" (a dict). Of a process or a thread: "id".
    """

    kind: str
    sources: frozenset = frozenset()
    parts: tuple = ()


UNKNOWN, CONSTANT, COUNT = Value("unknown"), Value("constant"), Value("count")
OPTIONS, PLAIN = Value("options"), Value("plain")
KNOWN_FUNCTIONS = {*FUNCTIONS_OF_NUMBERS, *FUNCTIONS_OF_LISTS, *TEXT_FUNCTIONS, *TIMES_OF_NUMBERS}
WITHOUT_CLOCK = {"unknown", "constant", "count", "options", "plain"}
NUMBERS = {"unknown", "constant", "count"}
TIMES = {"reading", "scaled", "date"}
SHOWN = {"duration", "durations", "rate", "date", "id", "text", "texts", "record"}


def is_of_clock(value):
    return bool(value.sources) and value.kind not in WITHOUT_CLOCK


def may_be_shown(value):
    if value.kind == "group":
        return are_shown(value.parts)
    return value.kind in SHOWN


def are_shown(values):
    """What has no clock may be anything."""
    return all(may_be_shown(value) for value in values if is_of_clock(value))


def are_alike(values):
    return len({(value.kind, len(value.parts)) for value in values}) == 1


def together(values):
    return frozenset().union(*(value.sources for value in values))


def is_part_of_times(node):
    value = getattr(node, "value", None)
    return isinstance(value, (int, float)) and value in PARTS_OF_TIMES


def is_next_to_nothing(node):
    """`n / (seconds + 1e-9)`."""
    value = getattr(node, "value", None)
    return isinstance(value, (int, float)) and 0 <= value <= 1e-3


# ---- Arithmetic: the kind of what is made of two kinds; None where that may be anything


def _of_difference(left, right, _):
    if left == right and left in ("reading", "scaled", "date", "duration"):
        return "duration"
    return left if left in TIMES and right in NUMBERS else None


def _of_sum(left, right, right_node):
    kinds = {left, right}
    if kinds & {"text"} and not kinds - {"text", *WITHOUT_CLOCK}:
        return "text"
    if left == right == "duration" or (left == "duration" and is_next_to_nothing(right_node)):
        return "duration"
    if left == right and left in ("durations", "texts"):
        return left
    return left if left in TIMES and right in NUMBERS else None


def _of_product(left, right, _):
    kinds = {left, right}
    for kind in ("duration", "durations", "text"):
        if kind in kinds and left != right and not kinds - {kind, *NUMBERS}:
            return kind
    return "scaled" if "constant" in kinds and kinds & {"reading", "scaled"} else None


def _of_quotient(left, right, _):
    if "duration" in (left, right) and not {left, right} - {"duration", *NUMBERS}:
        return "duration"
    if left == "durations" and right in NUMBERS:
        return "durations"
    return "scaled" if left in ("reading", "scaled") and right == "constant" else None


def _of_floor_division(left, right, right_node):
    if not is_part_of_times(right_node):
        return None
    return {"duration": "duration", "reading": "scaled", "scaled": "scaled"}.get(left)


def _of_remainder(left, right, right_node):
    return _of_floor_division(left, right, right_node) if left == "duration" else None


OPERATIONS = {
    ast.Sub: _of_difference,
    ast.Add: _of_sum,
    ast.Mult: _of_product,
    ast.Div: _of_quotient,
    ast.FloorDiv: _of_floor_division,
    ast.Mod: _of_remainder,
}


def kind_of_operation(operator, left, right, right_node):
    rule = OPERATIONS.get(type(operator))
    return rule(left, right, right_node) if rule else None


# ---- Arithmetic of times that are surely times: by units, and a number of things by a time


def strict_kind(operator, left, right, right_node):
    """As kind_of_operation(), for a flow that is trusted."""
    is_unit = getattr(right_node, "value", None) in PARTS_OF_TIMES
    if isinstance(operator, ast.Sub):
        return "duration" if left == right and left in ("reading", "date", "duration") else None
    if isinstance(operator, ast.Add):
        return "duration" if left == right == "duration" else None
    if isinstance(operator, ast.Div) and right == "duration":
        return "rate" if left in ("constant", "count") else None
    is_scaled = isinstance(operator, (ast.Mult, ast.Div)) and is_unit
    is_share = isinstance(operator, ast.Div) and right == "count"
    return "duration" if left == "duration" and (is_scaled or is_share) else None
