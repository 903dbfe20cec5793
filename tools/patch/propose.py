"""What `detshim patch` runs: docs/PATCH.md.

Each call of the log asks the user's lines that led to it for an edit, the innermost first; where
none has one, it is said what to do. Then the whole is looked at: an edit that gave several seeds,
generators that nobody seeds, addresses that are seeds. All of it is what one run did: of a line that
it did not reach nothing is known.
"""

import ast
import collections
import itertools
import json
import os
import sys

from diff import diff_of
from draws import draws, draws_before_seed, surely_seeds
from files import Files
from logged_calls import CallKind, LoggedCall
from names import NAMES
from own_modules import own_modules
from remarks import REMARKS, SEEDS_MODULE, Place, Remark
from seed_lines import add_seed_lines
from seed_places import seed_around
from sites import Cause, first_that_fits

CAUSES = {CallKind.FOLDER: Cause.FOLDER, CallKind.CLOCK: Cause.CLOCK}  # of other kinds: a reading

HASHES = (
    "texts have another hash in each run, and sets of them another order: "
    "set PYTHONHASHSEED=0 before Python starts"
)
SETS = {"set", "frozenset", "hash"}


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
            place = Place(LoggedCall(call), self.files)
            if place.users:
                self._take(place)
        for file, line in self.clocks:
            if (file, line) not in self.mended:
                self._say(file, line, Remark.CLOCK)
        self._end(said["torch"])

    def _say(self, file, line, remark, **values):
        self.left.append(f"{file.shown}:{line}: {remark.of(file, **values)}")

    # The calls of the log

    def _take(self, place):
        """Makes the edits that mend a call; else says what to do, where something is to be done."""
        self.main = self.main or place.script()
        if first_that_fits(SEEDS_MODULE, place):
            self.seeded.add(place.call.module)
        if place.call.is_repeatable_seed() and place.place not in self.mended:
            self.kept.add(place.place)
        elif not self._mend(place):
            remark = UNMENDED.get(place.call.kind, Patch._ignore)(self, place)
            if remark:
                self._say(place.file, place.line, remark, package=place.package())

    def _mend(self, place):
        """Asks the user's lines for an edit, the innermost first."""
        cause = CAUSES.get(place.call.kind, Cause.READING)
        if cause is Cause.FOLDER and place.inner.is_of_package():
            return False
        for line in place.users:
            if line.file.mend(line.frame.line, cause, line.called, place.call):
                self.mended.add(line.place)
                return True
        return False

    def _note_clock(self, place):
        self.clocks.append(place.place)

    def _take_seed(self, place):
        """A seed that another line made: mended there, or where it is passed."""
        if "unexplained_seed" in place.call.why or not self.mended.isdisjoint(place.places()):
            return None
        is_kept = place.place in self.kept
        is_mended = not is_kept and place.file.mend(place.line, Cause.VALUE, "", place.call)
        return None if is_mended else Remark.SEED

    def _take_draw(self, place):
        return first_that_fits(REMARKS, place)

    def _ignore(self, _):
        return None

    # What all calls together ask for

    def _end(self, settings):
        own = own_modules(self.files, self.main)
        files = self.files.all_python()
        modules = _modules_of_any(draws, files)
        self.seeded |= modules & _modules_of_any(surely_seeds, files)
        for file in files:
            modules |= self._divide_seeds(file)
            self.left += [f"{file.shown}:{line}: {text}" for line, text in file.says_refused()]
        for file in files:
            self._say_addresses(file)
        main = self.files.python(self.main)
        if main is not None:
            before = modules & _modules_of_any(draws_before_seed, [main])
            self._seed_generators(main, modules - (self.seeded - before), settings, own)
        if any(map(_depends_on_hashes, files)):
            self.left.append(HASHES)

    def _seed_generators(self, main, modules, settings, own):
        if modules:
            add_seed_lines(main, modules, self.seeds[""], settings, own)

    def _divide_seeds(self, file):
        """One edit cannot serve several calls. Returns the modules whose generators give seeds now."""
        drawn_from = set()
        several = [item for item in file.edits.in_order() if item[1].serves_several()]
        for place, edit in several:
            if edit.for_each:
                edit.text = edit.for_each
                drawn_from.add(edit.module)
            else:
                file.edits.take(place)
                line = file.line_of(place[0])
                self._say(file, line, Remark.SEVERAL, seeds=edit.times())
        return drawn_from

    def _say_addresses(self, file):
        for call in file.calls_of("id"):
            if seed_around(file, call).node:
                self._say(file, call.lineno, Remark.ADDRESS)

    def diff(self):
        for file in self.files.all_python():
            new = file.changed(self.seeds)
            if new != file.text and self._is_code(file, new):
                yield from diff_of(file, new)

    def _is_code(self, file, text):
        try:
            compile(text[file.starts[0] :], "?", "exec", dont_inherit=True)
            return True
        except SyntaxError as error:
            self.left.append(f"{file.shown} is left as it is: the edits would break it ({error})")
            return False


# Of a call that no edit mends: what it leads to, by its kind.
UNMENDED = {
    CallKind.CLOCK: Patch._note_clock,
    CallKind.SEED: Patch._take_seed,
    CallKind.FOLDER: Patch._take_draw,
    CallKind.KERNEL: Patch._take_draw,
}


def _modules_of_any(asks, files):
    """The modules with a generator of which a file tells that."""
    return {module for module in NAMES["generators"] for file in files if asks(file, module)}


def _depends_on_hashes(file):
    named = {name.id for name in file.of(ast.Name)}
    return bool(file.of(ast.Set, ast.SetComp)) or not SETS.isdisjoint(named)


def answer(words):
    """`words`: a file with what a log says. Writes what no edit mends, a line each; a zero byte; a
    unified diff."""
    with open(words[0], encoding="utf-8") as document:
        patch = Patch(json.load(document))
    diff = b"".join(patch.diff())
    left = "".join(line + "\n" for line in dict.fromkeys(patch.left))
    sys.stdout.buffer.write(os.fsencode(left) + b"\0" + diff)
