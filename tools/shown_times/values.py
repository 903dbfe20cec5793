"""What an expression gives, as far as it is made of clocks."""

import ast
from itertools import filterfalse
from typing import NamedTuple

from calls import (
    FUNCTIONS_OF_LISTS,
    FUNCTIONS_OF_NUMBERS,
    PARTS_OF_TIMES,
    ROUNDED,
    STRICT_FUNCTIONS_OF_NUMBERS,
    STRICTLY_ROUNDED,
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


def is_known(value):
    return value.kind != "unknown"


def of_clock(values):
    return list(filter(is_of_clock, values))


def without_clock(values):
    return list(filterfalse(is_of_clock, values))


def kinds_of(values):
    return {value.kind for value in values}


def only_one(kinds):
    """None of several, or of none."""
    return next(iter(kinds)) if len(kinds) == 1 else None


def plain_of(values):
    """What is made of values that have no clock."""
    return COUNT if kinds_of(values) <= NUMBERS else PLAIN


def may_be_shown(value):
    if value.kind == "group":
        return are_shown(value.parts)
    return value.kind in SHOWN


def are_shown(values):
    """What has no clock may be anything."""
    return all(map(may_be_shown, of_clock(values)))


def are_alike(values):
    return len({(value.kind, len(value.parts)) for value in values}) == 1


def together(values):
    return frozenset().union(*(value.sources for value in values))


def is_part_of_times(node):
    return getattr(node, "value", None) in PARTS_OF_TIMES


def is_next_to_nothing(node):
    """`n / (seconds + 1e-9)`."""
    value = getattr(node, "value", None)
    return isinstance(value, (int, float)) and 0 <= value <= 1e-3


# ---- Arithmetic: the kind of what is made of two kinds. What no row allows may be anything.


def rows_by_kinds(rows):
    """By operator and two kinds. A row has an operator, kinds on the left, kinds on the right, and
    what it makes of each two."""
    return {
        (operator, left, right): made
        for operator, lefts, rights, made in rows
        for left in lefts.split()
        for right in rights.split()
    }


# Of constants the numbers that say more: "part", of PARTS_OF_TIMES, and "least", next to nothing.
NUMBER = "constant part least count"
FIXED_NUMBER = "constant part least"

OPERATIONS = rows_by_kinds(
    [
        (ast.Sub, "reading", "reading", "duration"),
        (ast.Sub, "scaled", "scaled", "duration"),
        (ast.Sub, "date", "date", "duration"),
        (ast.Sub, "duration", "duration", "duration"),
        (ast.Sub, "reading", NUMBER, "reading"),
        (ast.Sub, "scaled", NUMBER, "scaled"),
        (ast.Sub, "date", NUMBER, "date"),
        (ast.Add, "text", f"text options plain {NUMBER}", "text"),
        (ast.Add, f"options plain {NUMBER}", "text", "text"),
        (ast.Add, "duration", "duration least", "duration"),
        (ast.Add, "durations", "durations", "durations"),
        (ast.Add, "texts", "texts", "texts"),
        (ast.Add, "reading", NUMBER, "reading"),
        (ast.Add, "scaled", NUMBER, "scaled"),
        (ast.Add, "date", NUMBER, "date"),
        (ast.Mult, "duration", NUMBER, "duration"),
        (ast.Mult, NUMBER, "duration", "duration"),
        (ast.Mult, "durations", NUMBER, "durations"),
        (ast.Mult, NUMBER, "durations", "durations"),
        (ast.Mult, "text", NUMBER, "text"),
        (ast.Mult, NUMBER, "text", "text"),
        (ast.Mult, "reading scaled", FIXED_NUMBER, "scaled"),
        (ast.Mult, FIXED_NUMBER, "reading scaled", "scaled"),
        (ast.Div, "duration", f"duration {NUMBER}", "duration"),
        (ast.Div, NUMBER, "duration", "duration"),
        (ast.Div, "durations", NUMBER, "durations"),
        (ast.Div, "reading scaled", FIXED_NUMBER, "scaled"),
        (ast.FloorDiv, "duration", "part", "duration"),
        (ast.FloorDiv, "reading scaled", "part", "scaled"),
        (ast.Mod, "duration", "part", "duration"),
    ]
)

# Of times that are surely times, for a flow that is trusted: by units, and a number of things by a
# time.
STRICT_OPERATIONS = rows_by_kinds(
    [
        (ast.Sub, "reading", "reading", "duration"),
        (ast.Sub, "date", "date", "duration"),
        (ast.Sub, "duration", "duration", "duration"),
        (ast.Add, "duration", "duration", "duration"),
        (ast.Mult, "duration", "part", "duration"),
        (ast.Div, "duration", "part count", "duration"),
        (ast.Div, NUMBER, "duration", "rate"),
    ]
)


class Arithmetic(NamedTuple):
    """What may be made of times."""

    operations: dict
    functions_of_durations: set  # of numbers: what they give is a duration
    functions_by_kind: dict  # of other kinds: what they give, by their names


ARITHMETIC = Arithmetic(
    OPERATIONS,
    FUNCTIONS_OF_NUMBERS,
    {"durations": FUNCTIONS_OF_LISTS, "reading": ROUNDED, "scaled": ROUNDED},
)
STRICT_ARITHMETIC = Arithmetic(
    STRICT_OPERATIONS,
    STRICT_FUNCTIONS_OF_NUMBERS,
    {"durations": FUNCTIONS_OF_LISTS, "reading": STRICTLY_ROUNDED, "scaled": STRICTLY_ROUNDED},
)


def kind_of_operand(value, node):
    if is_part_of_times(node):
        return "part"
    return "least" if is_next_to_nothing(node) else value.kind
