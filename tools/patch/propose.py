"""What `detshim patch` runs: docs/PATCH.md."""

import ast
import collections
import difflib
import enum
import itertools
import json
import os
import re
import sys

from files import Files
from logged_calls import CallKind, Inner, LoggedCall
from names import NAMES
from python_file import Cause, PythonFile, Refusal
from seed_lines import add_seed_lines

CAUSES = {CallKind.FOLDER: Cause.FOLDER, CallKind.CLOCK: Cause.CLOCK}  # of other kinds: a reading


class Remark(enum.Enum):
    """What is said of a place that no edit mends: in Python, and in other languages."""

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


HASHES = (
    "texts have another hash in each run, and sets of them another order: "
    "set PYTHONHASHSEED=0 before Python starts"
)


class Place:
    """A call of the log, and the user's line that led to it."""

    def __init__(self, call, files):
        self.call = call
        self.lines = [(files.of(frame), frame) for frame in call.frames]
        self.users = [(file, frame.line) for file, frame in self.lines if file]
        inner = itertools.takewhile(lambda line: line[0] is None, self.lines)
        self.inner = Inner([frame for _, frame in inner])

    @property
    def file(self):
        return self.users[0][0]

    @property
    def line(self):
        return self.users[0][1]

    def package(self):
        """The line of an installed package that is nearest to the call."""
        packages = (frame for _, frame in self.lines if frame.is_of_package)
        return next((f"{frame.path}:{frame.line}" for frame in packages), "")

    def is_python(self):
        return isinstance(self.file, PythonFile)

    # What stands between the user's line and a draw from the kernel.

    def is_draw_of_package(self):
        """A package draws by Python's `random`, and not as it is imported."""
        frames = self.inner.frames
        if not self.inner.is_of_package() or self.inner.file != "random.py":
            return False
        is_import = self.inner.is_import() or "__getattr__" in self.inner.functions
        return not frames[0].is_of_package and not is_import

    def is_of_library(self):
        return self.inner.is_import() or self.inner.is_of_package()

    def is_known(self):
        """Nothing is to be said, or it is said elsewhere."""
        if not self.call.is_recorded_draw():
            return True
        refused = self.file.refused if self.is_python() else ()
        return self.line in [call.lineno for call in refused]

    def is_folder(self):
        return self.call.kind is CallKind.FOLDER

    def is_seed_of_workers(self):
        return self.inner.functions[:1] == ["seed"] and not self.inner.makes_object()

    def is_plain_draw(self):
        """By the user's own line, or by what Python has for drawing."""
        modules = ("", "random.py", "uuid.py", "secrets.py")
        return not self.is_python() or self.inner.file in modules


# Of a draw that no edit mends: the first row that fits says what is to be done; None: nothing.
REMARKS = (
    (Place.is_draw_of_package, Remark.PACKAGE),
    (Place.is_of_library, None),
    (Place.is_known, None),
    (Place.is_folder, Remark.FOLDER),
    (Place.is_seed_of_workers, Remark.WORKERS),
    (Place.is_plain_draw, Remark.KERNEL),
)


class Patch:
    """`said`: the `calls` of a run and when it `begun`; the first `seed`; how `torch` is to be set;
    what is `left` anyway."""

    def __init__(self, said):
        self.left = said["left"]
        self.files = Files(said["begun"], self.left)
        first_seeds = map(lambda seed: seed % 2**32, itertools.count(said["seed"]))
        self.seeds = collections.defaultdict(first_seeds.__next__)
        self.seeded = set()  # the modules whose generators the program seeds itself
        self.mended = set()  # the user's lines, as the next two
        self.kept = set()
        self.clocks = []
        self.main = said["script"] if self.files.python(said["script"]) else ""
        for call in said["calls"]:
            self._take(Place(LoggedCall(call), self.files))
        for file, line in self.clocks:
            if (file, line) not in self.mended:
                self._say(file, line, Remark.CLOCK)
        self._end(said["torch"])

    def _say(self, file, line, remark, **values):
        self.left.append(f"{file.shown}:{line}: {remark.of(file, **values)}")

    # The calls of the log

    def _take(self, place):
        """Makes the edits that mend a call; else says what to do, where something is to be done."""
        if not place.users:
            return
        self.main = self.main or self._main_of(place)
        if self._seeds_module(place):
            self.seeded.add(place.call.module)
        if place.call.is_repeatable_seed() and place.users[0] not in self.mended:
            self.kept.add(place.users[0])
        elif not self._mend(place):
            remark = UNMENDED.get(place.call.kind, Patch._ignore)(self, place)
            if remark:
                self._say(place.file, place.line, remark, package=place.package())

    def _main_of(self, place):
        """The script: the outermost line of a module."""
        modules = (
            frame.path
            for file, frame in reversed(place.lines)
            if frame.function == "<module>" and isinstance(file, PythonFile)
        )
        return next(modules, "")

    def _seeds_module(self, place):
        """True for a seed of the generator that a module has of its own."""
        call = place.call
        is_loader = any("/torch/utils/" in frame.path for _, frame in place.lines)
        if not call.module or not place.is_python() or is_loader:
            return False
        if call.module == "random":
            return not place.inner.makes_object()
        by_name = [full for _, full in place.file.calls_at(place.line)]
        is_numpys = "numpy.random.seed" in by_name
        return is_numpys or any("seed" in name for name in place.inner.functions)

    def _mend(self, place):
        """Asks the user's lines for an edit, the innermost first."""
        cause = CAUSES.get(place.call.kind, Cause.READING)
        if cause is Cause.FOLDER and place.inner.is_of_package():
            return False
        called = ""
        for file, frame in place.lines:
            if file and file.mend(frame.line, cause, called, place.call):
                self.mended.add((file, frame.line))
                return True
            called = re.split(r"\.|::", frame.function.partition("(")[0])[-1]
        return False

    def _note_clock(self, place):
        self.clocks.append(place.users[0])

    def _take_seed(self, place):
        """A seed that another line made: mended there, or where it is passed."""
        if "unexplained_seed" in place.call.why or self.mended.intersection(place.users):
            return None
        if place.users[0] not in self.kept and place.file.mend(
            place.line, Cause.VALUE, "", place.call
        ):
            return None
        return Remark.SEED

    def _take_draw(self, place):
        return next((remark for fits, remark in REMARKS if fits(place)), None)

    def _ignore(self, _):
        return None

    # What all calls together ask for

    def _end(self, settings):
        modules = self._drawn_modules()
        self.seeded |= {module for module in modules if self._is_surely_seeded(module)}
        for file in self.files.all_python():
            modules |= self._divide_seeds(file)
            self.left += [f"{file.shown}:{line}: {text}" for line, text in file.says_refused()]
        main = self.files.python(self.main) if self.main else None
        if main:
            self.seeded -= {module for module in modules if main.draws_before_seed(module)}
        self._say_addresses()
        if main and modules - self.seeded:
            unseeded = modules - self.seeded
            add_seed_lines(main, unseeded, self.seeds[""], settings, self._own_modules())
        if any(map(_depends_on_hashes, self.files.all_python())):
            self.left.append(HASHES)

    def _drawn_modules(self):
        """Those from whose generators the user's files draw."""
        self._own_modules()  # which reads them
        files = self.files.all_python()
        return {module for module in NAMES["generators"] if any(f.draws(module) for f in files)}

    def _is_surely_seeded(self, module):
        seeder = NAMES["generators"][module][0]
        return any(file.surely_calls(seeder) for file in self.files.all_python())

    def _divide_seeds(self, file):
        """One edit cannot serve several calls. Returns the modules whose generators give seeds now."""
        drawn_from = set()
        for place, edit in file.edits.in_order():
            if not edit.is_seed() or edit.times() < SEVERAL_TIMES:
                continue
            if edit.for_each:
                edit.text = edit.for_each
                drawn_from.add(edit.module)
            else:
                del file.edits.by_place[place]
                line = file.line_of(place[0])
                self._say(file, line, Remark.SEVERAL, seeds=edit.times())
        return drawn_from

    def _own_modules(self):
        """The names of the modules beside the script that it imports, and those that they import."""
        own = set()
        paths = [self.main] if self.main else []
        for path in paths:
            folders = {os.path.dirname(path), os.path.dirname(self.main)}
            file = self.files.python(path)
            names = file.imports.values() if file else ()
            for name, folder in itertools.product(names, folders):
                there = _files_of_module(folder, name.split("."))
                if there:
                    own.add(name.split(".")[0])
                paths += [module for module in there if module not in paths]
        return own

    def _say_addresses(self):
        for file in self.files.all_python():
            for call in file.calls.values():
                if file.full(call.func) == "id" and file.seed_around(call).node:
                    self._say(file, call.lineno, Remark.ADDRESS)

    # The diff

    def diff(self):
        for file in self.files.all_python():
            new = file.changed(self.seeds)
            try:
                compile(new[file.starts[0] :], "?", "exec", dont_inherit=True)
            except SyntaxError as error:
                self.left.append(
                    f"{file.shown} is left as it is: the edits would break it ({error})"
                )
                continue
            yield from _diff_of(file, new)


# Shares of a seed are added up: 2, but for what rounding takes.
SEVERAL_TIMES = 1.9

# Of a call that no edit mends: what it leads to, by its kind.
UNMENDED = {
    CallKind.CLOCK: Patch._note_clock,
    CallKind.SEED: Patch._take_seed,
    CallKind.FOLDER: Patch._take_draw,
    CallKind.KERNEL: Patch._take_draw,
}


def _files_of_module(folder, parts):
    """Of a.b: a.py or a/__init__.py, and those of b in a."""
    prefixes = (parts[:count] for count in range(1, len(parts) + 1))
    names = itertools.product(prefixes, (".py", "/__init__.py"))
    files = [os.path.join(folder, *prefix) + end for prefix, end in names]
    return [file for file in files if os.path.isfile(file)]


def _depends_on_hashes(file):
    return any(
        isinstance(node, (ast.Set, ast.SetComp))
        or getattr(node, "id", "") in ("set", "frozenset", "hash")
        for node in file.parents
    )


def _lines_of(text):
    """With their ends. A carriage return ends no line for diff."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _diff_of(file, new):
    """The reasons, and the diff, in the encoding of the file."""
    name = file.shown + ("\t" if " " in file.shown else "")
    hunks = list(
        difflib.unified_diff(_lines_of(file.text), _lines_of(new), "a/" + name, "b/" + name)
    )
    if not hunks:
        return
    lines_by_reason = collections.defaultdict(dict)
    for place, edit in file.edits.in_order():
        lines_by_reason[edit.reason()][str(file.line_of(place[0]))] = True
    reasons = [
        f"# {file.shown}:{', '.join(lines)}: {reason}\n"
        for reason, lines in lines_by_reason.items()
    ]
    yield os.fsencode("".join(reasons + hunks[:2]))
    ended = (
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in hunks[2:]
    )
    yield "".join(ended).encode(file.encoding)


def answer(words):
    """`words`: a file with what a log says. Writes what no edit mends, a line each; a zero byte; a
    unified diff."""
    with open(words[0], encoding="utf-8") as document:
        patch = Patch(json.load(document))
    diff = b"".join(patch.diff())
    left = "".join(line + "\n" for line in dict.fromkeys(patch.left))
    sys.stdout.buffer.write(os.fsencode(left) + b"\0" + diff)
