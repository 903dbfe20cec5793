"""What is said of a call of the log that no edit mends.

A draw that cannot differ, or that a library makes as it is imported, is no matter of the user's. Of
the others the frames between the user's line and the draw tell whose it is.
"""

import enum
import itertools
from typing import NamedTuple

from files import Files
from logged_calls import CallKind, Frame, Inner, LoggedCall
from python_file import PythonFile
from sites import Refusal, always


class Remark(enum.Enum):
    """What is said of a place: in Python, and in other languages."""

    FOLDER = (Refusal.FOLDER.value,)
    CLOCK = (
        "reads a clock or an id: where a result depends on it, give it a fixed value",
        "reads a clock or an id: where it becomes a seed, write a fixed number, such as 42",
    )
    SEED = (
        "what a clock says becomes a seed here, and no edit for it is known: pass a fixed one",
        "a seed that is another one in each run is passed here: pass a fixed number, such as 42",
    )
    KERNEL = (
        "draws from the kernel: where the result depends on it, draw from a generator with a seed",
        "draws from the kernel: where it becomes a seed, write a fixed number, such as 42",
    )
    WORKERS = (
        "processes made here may seed `random` anew: call random.seed() with a number in what they run",
    )
    PACKAGE = (
        "an installed package draws from the kernel: pass it a seed, if it takes one: {package}",
    )
    ADDRESS = ("this seed is an address, another one in each run: pass a fixed one",)
    SEVERAL = ("takes {seeds:.0f} seeds: give each a fixed one of its own",)

    def of(self, file, **values):
        in_language = self.value[0] if isinstance(file, PythonFile) else self.value[-1]
        return in_language.format(**values)


class UserLine(NamedTuple):
    """A line of the user's that led to a call."""

    file: object
    frame: Frame
    called: str  # the function that it called, by the next frame; empty for the innermost one

    @property
    def place(self):
        return self.file, self.frame.line

    @property
    def is_of_script(self):
        return self.frame.is_of_module and isinstance(self.file, PythonFile)


class Place:
    """A call of the log, and the lines of the user's that led to it, innermost first."""

    def __init__(self, call: LoggedCall, files: Files):
        self.call = call
        called = ["", *(frame.called for frame in call.frames)]
        lines = list(map(UserLine, map(files.of, call.frames), call.frames, called))
        self.users = [line for line in lines if line.file]
        inner = itertools.takewhile(lambda line: line.file is None, lines)
        self.inner = Inner([line.frame for line in inner])

    @property
    def file(self):
        return self.users[0].file

    @property
    def line(self):
        return self.users[0].frame.line

    @property
    def place(self):
        return self.users[0].place

    def places(self):
        return {line.place for line in self.users}

    def script(self):
        """The outermost line of a module that led to it; empty where none is of a Python file."""
        paths = [line.frame.path for line in self.users if line.is_of_script]
        return "".join(paths[-1:])

    def package(self):
        """The line of an installed package that is nearest to the call; empty where there is none."""
        places = [frame.place for frame in self.call.frames if frame.is_of_package]
        return "".join(places[:1])

    def is_python(self):
        return isinstance(self.file, PythonFile)

    # Whether it seeds the generator that a module has of its own

    def seeds_none(self):
        return not self.call.module or not self.is_python()

    def is_of_loader(self):
        return any("/torch/utils/" in frame.path for frame in self.call.frames)

    def makes_random(self):
        return self.call.module == "random" and self.inner.makes_object()

    def seeds_random(self):
        return self.call.module == "random"

    def calls_numpys_seed(self):
        return "numpy.random.seed" in map(self.file.callee, self.file.calls_at(self.line))

    def is_by_seed(self):
        """By a function that is called so: `torch.manual_seed`."""
        return any("seed" in function for function in self.inner.functions)

    # What stands between the user's line and a draw from the kernel.

    def is_draw_of_package(self):
        """A package draws by Python's `random`, and not as it is imported."""
        inner = self.inner
        is_of_random = inner.file == "random.py" and not inner.frames[0].is_of_package
        return is_of_random and inner.is_of_package() and not inner.is_any_import()

    def is_of_library(self):
        return self.inner.is_import() or self.inner.is_of_package()

    def is_known(self):
        """Nothing is to be said, or it is said elsewhere."""
        is_refused = self.line in [call.lineno for call in self.file.refused]
        return is_refused or not self.call.is_recorded_draw()

    def is_folder(self):
        return self.call.kind is CallKind.FOLDER

    def is_seed_of_workers(self):
        return self.inner.functions[:1] == ["seed"] and not self.inner.makes_object()

    def is_plain_draw(self):
        """By the user's own line, or by what Python has for drawing."""
        modules = ("", "random.py", "uuid.py", "secrets.py")
        return not self.is_python() or self.inner.file in modules


# Whether a call seeds the generator that a module has of its own.
SEEDS_MODULE = (
    (Place.seeds_none, False),
    (Place.is_of_loader, False),
    (Place.makes_random, False),
    (Place.seeds_random, True),
    (Place.calls_numpys_seed, True),
    (Place.is_by_seed, True),
    (always, False),
)

# Of a draw that no edit mends, what is to be done; None: nothing.
REMARKS = (
    (Place.is_draw_of_package, Remark.PACKAGE),
    (Place.is_of_library, None),
    (Place.is_known, None),
    (Place.is_folder, Remark.FOLDER),
    (Place.is_seed_of_workers, Remark.WORKERS),
    (Place.is_plain_draw, Remark.KERNEL),
    (always, None),
)
