"""What a log says of the calls that need a change.

A function's name tells what a call does (known_names.py), its frames whose line led to it, and the
reasons of its record whether the next run may be given something else.
"""

import enum
import os
import re
from typing import List, NamedTuple

from names import NAMES


class CallKind(enum.Enum):
    """What a call does; known_names.py has it by its function."""

    SEED = "seed"
    FOLDER = "folder"
    CLOCK = "clock"
    KERNEL = "kernel"
    OTHER = "other"


class Frame(NamedTuple):
    """`owner`: whose the file is, by tools/log_reader/call_owner.h."""

    path: str
    line: int
    function: str
    owner: str

    @property
    def is_of_user(self):
        return self.owner == "user"

    @property
    def is_of_package(self):
        return self.owner == "package"

    @property
    def place(self):
        return f"{self.path}:{self.line}"

    @property
    def called(self):
        """The function by the last part of its name: "seed" of `Generator::seed(int)`."""
        return re.split(r"\.|::", self.function.partition("(")[0])[-1]

    @property
    def is_of_module(self):
        return self.function == "<module>"

    @property
    def is_lazy_import(self):
        """A package that imports its parts as they are first asked for."""
        return self.is_of_package and self.function == "__getattr__"


class LoggedCall:
    """`module`: whose generator it seeds, if it is known. `seeds`: those that were passed and may
    differ from run to run."""

    def __init__(self, said):
        self.function = said["function"]
        self.why = set(said["why"])
        self.count = said["count"]
        self.seeds = said["seeds"] or ()
        self.kind, self.module = _row_of(self.function)
        self.frames = [
            Frame(frame["file"], frame["line"], frame["function"], frame["owner"])
            for frame in said["frames"]
        ]
        self.is_import = any(frame.is_lazy_import for frame in self.frames)

    def is_repeatable_seed(self):
        """True if the program passed the same in each run."""
        is_own = self.why & {"own_value", "repeatable_value"}
        return self.kind is CallKind.SEED and not self.seeds and bool(is_own)

    def is_recorded_draw(self):
        """True if what it gives can differ."""
        return bool(self.why & {"own_stream", "observed", "sorted_by_name"})


class Inner:
    """The frames between a call and the innermost line of the user's."""

    def __init__(self, frames: List[Frame]):
        self.frames = frames
        self.functions = [frame.function for frame in frames]
        self.file = os.path.basename(frames[0].path) if frames else ""

    def is_of_package(self):
        return any(frame.is_of_package for frame in self.frames)

    def is_import(self):
        return "<module>" in self.functions

    def is_any_import(self):
        """Also one that a package does as it is first asked for a part."""
        return not {"<module>", "__getattr__"}.isdisjoint(self.functions)

    def makes_object(self):
        """True in a constructor: random.Random() is no seed of the module's generator."""
        return "__init__" in self.functions


def _row_of(function):
    for pattern, kind, module in NAMES["calls"]:
        if re.match(pattern, function):
            return CallKind(kind), module
    return CallKind.OTHER, ""
