"""A call in the text of a file, with what the log says of its line: what the rules look at.

A rule is a table. Each row has a condition and what is done then; the first row that fits counts.
What is done tells whether the call is mended, or needs nothing.
"""

import ast
import dataclasses
import enum

from items import Edit, ItemKind
from names import last_part
from python_code import LOOPS, inside


class Cause(enum.Enum):
    """What a line did, by the log."""

    FOLDER = enum.auto()  # it listed a folder
    READING = enum.auto()  # it read something that is new in each run
    CLOCK = enum.auto()  # it read a clock, nobody counted how often
    VALUE = enum.auto()  # it passed a seed that another line had made


class Refusal(enum.Enum):
    """Why a call that needs an edit gets none, as people read it."""

    FOLDER = "reads a folder, whose entries come in no fixed order: sort them"
    MISSING_SEED = ItemKind.MISSING_SEED.value + ": pass a fixed one"


def first_that_fits(rows, thing):
    return next(answer for fits, answer in rows if fits(thing))


def always(_):
    return True


@dataclasses.dataclass
class Site:
    """`called`: the function that this line called, by the next frame. `logged`: a LoggedCall."""

    file: object
    call: ast.Call
    cause: Cause
    called: str
    logged: object

    def __post_init__(self):
        self.full = self.file.callee(self.call)  # "numpy.random.seed"
        self.last = last_part(self.full)
        self.given = self.call.args + [keyword.value for keyword in self.call.keywords]
        self.above = self.file.parents[self.call]

    def is_in_text(self):
        return self.file.is_in_text(self.call)

    def is_in_loop(self):
        return self.file.is_in(self.call, LOOPS)

    def is_of_attribute(self):
        """`numpy.random.seed()`, and not `seed()`."""
        return isinstance(self.call.func, ast.Attribute)

    def is_given_nothing(self):
        return not self.given

    def functions_given(self):
        """What is called in its arguments."""
        return set().union(*map(self._functions_in, self.given))

    def _functions_in(self, value):
        return {last_part(self.file.callee(call)) for call in inside(value, ast.Call)}

    # What is done

    def leave(self):
        return False

    def need_nothing(self):
        return True

    def refuse(self, refusal):
        self.file.refused.setdefault(self.call, refusal)
        return False

    def put(self, place, text, kind):
        return self.file.edits.add(place, Edit(text, kind))
