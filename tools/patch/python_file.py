"""A file of Python's that is to be changed: the edits that mend what a call of the log did in a line."""

import ast
import collections
import enum
import re
from typing import NamedTuple

from items import SEED, Edit, Edits, ItemKind
from names import DRAWS_BY_ITSELF, NAMES, NUMBERS_AND_TEXTS, READERS, WORD, last_part, takes_seed
from python_code import ASSIGNMENTS, FUNCTIONS, LOOPS, PythonCode


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


class Site(NamedTuple):
    """A call in the text, and what the log says of its line."""

    call: ast.Call
    full: str  # "numpy.random.seed"
    cause: Cause
    called: str  # the function that this line called, by the next frame
    logged: object  # of LoggedCall

    @property
    def last(self):
        return last_part(self.full)

    @property
    def given(self):
        """The values that are passed."""
        return self.call.args + [keyword.value for keyword in self.call.keywords]


class PythonFile(PythonCode):
    """`named`: of all files, how variables, options and fields are called whose seed is mended
    where it is made. `holders`: by variable, the places of those edits."""

    named = set()

    def __init__(self, path, shown):
        super().__init__(path)
        self.shown = shown
        self.edits = Edits()
        self.refused = {}
        self.holders = collections.defaultdict(set)

    def mend(self, line, cause, called, logged):
        """True if an edit in that line mends it, or none is needed."""
        self.edits.begin_call()
        sites = [Site(call, full, cause, called, logged) for call, full in self.calls_at(line)]
        answers = [rule(self, site) for site in sites for rule in RULES[cause]]
        others = sum(
            call.lineno == line and refusal is Refusal.MISSING_SEED
            for call, refusal in self.refused.items()
        )
        count = 1 if logged.is_import else logged.count
        self.edits.add_share(logged.function, logged.seeds, count, others)
        return any(answers)

    def changed(self, seeds):
        return self.edits.changed(self.text, seeds)

    def says_refused(self):
        """A line for each call that is refused, and lies in no edit."""
        for call, refusal in sorted(self.refused.items(), key=lambda item: item[0].lineno):
            begin, end = self.span(call)
            if not any(begin <= edited < end for edited, _ in self.edits.by_place):
                yield call.lineno, refusal.value

    def _refuse(self, site, refusal):
        self.refused.setdefault(site.call, refusal)
        return False

    # Folders

    def _sort_entries(self, site):
        around = NAMES["sorted"].get(site.full) or NAMES["sorted"].get("." + site.last)
        if not around or site.call in self.in_texts:
            return False
        if self._is_any_order_right(site.call):
            return True
        if self._keeps_its_order(site, around):
            return self._refuse(site, Refusal.FOLDER)
        before, behind = around
        if before.startswith("iter(") and self._is_iterated_at_once(site.call):
            before, behind = before[len("iter(") :], behind[:-1]
        begin, end = self.span(site.call)
        for at, text in ((begin, before), (end, behind)):
            self.edits.add((at, at), Edit(text, ItemKind.FOLDER_ORDER))
        return True

    def _taker(self, call):
        """ "sorted" of sorted(CALL)."""
        above = self.parents[call]
        is_taken = isinstance(above, ast.Call) and above.args == [call]
        return self.full(above.func) if is_taken else ""

    def _is_any_order_right(self, call):
        taker = self._taker(call)
        if taker == "sorted" and self._leaves_ties(self.parents[call]):
            return False
        return taker in {"sorted", "len", "set"} - self.names

    def _leaves_ties(self, sorting):
        """True for sorted(..., key=len), which leaves some entries as the folder has them."""
        keys = [self.segment(option.value) for option in sorting.keywords if option.arg == "key"]
        return bool(keys) and not re.search("name|path|str", " ".join(keys))

    def _is_iterated_at_once(self, call):
        is_loop = isinstance(self.parents[call], (ast.For, ast.comprehension))
        return is_loop or self._taker(call) in ("list", "tuple", "enumerate", "sorted")

    def _keeps_its_order(self, site, around):
        """True where a sorted list cannot take the place of what the call gives."""
        if {"sorted", "iter"} & self.names:  # the script means something else by them
            return True
        if site.full == "os.walk" and (site.call.keywords or site.call.args[1:]):
            return True  # upwards it has read a folder before it hands it out
        is_list = around[0] == "sorted("
        if is_list or self._is_iterated_at_once(site.call):
            return False
        above = self.parents[site.call]
        if site.full == "os.scandir" or isinstance(above, (ast.withitem, ast.Attribute)):
            return True
        is_kept = isinstance(above, ast.Assign)
        return is_kept and self.segment(above.targets[0]) + ".close" in self.text

    # Seeds that are missing

    def _give_seed(self, site):
        """A call that takes its seed from the kernel, if it gets none."""
        if site.logged.seeds:
            return False
        if site.full in NAMES["makers"] and site.call not in self.in_texts:
            return self._give_seed_to_maker(site)
        bases = {self.full(base) for kind in self._bound_to(site.last) for base in _bases(kind)}
        makes = site.last == "seed" or {site.full, *bases} & NAMES["makers"].keys()
        if makes and not site.given:
            self.refused[site.call] = Refusal.MISSING_SEED
        return False

    def _give_seed_to_maker(self, site):
        call = site.call
        in_loop = any(self.around(call, LOOPS))
        if site.logged.is_import and in_loop:  # how often is not known
            return self._refuse(site, Refusal.MISSING_SEED)
        if site.full == "torch.seed":
            return self._exchange_torch_seed(site)
        if self._is_one_variable(site):
            value = self.segment(site.given[0])
            otherwise = f" if {value} is None else {value}"
            return self._put_seed(site, self.span(site.given[0]), otherwise)
        nones = [value for value in site.given if _is_constant(value, None)]
        if nones:
            return self._put_seed(site, self.span(nones[0]))
        if not site.given:
            end = self.span(call)[1] - 1
            return self._put_seed(site, (end, end))
        called = self._called_in(site.given)
        return (
            self._refuse(site, Refusal.MISSING_SEED) if called and not READERS & called else False
        )

    def _exchange_torch_seed(self, site):
        """torch.seed() gives a number, and takes none: torch.manual_seed(N) is the other way round."""
        is_statement = isinstance(self.parents[site.call], ast.Expr)
        if not is_statement or not isinstance(site.call.func, ast.Attribute) or site.given:
            return self._refuse(site, Refusal.MISSING_SEED)
        name_end = self.span(site.call.func)[1]
        place = (name_end - len("seed"), self.span(site.call)[1])
        return self.edits.add(place, Edit(f"manual_seed({SEED})", ItemKind.MISSING_SEED))

    def _is_one_variable(self, site):
        """True for a call that gets one value, which may be None and may be a number."""
        if len(site.given) != 1 or isinstance(site.given[0], ast.Constant):
            return False
        is_lazy_seed = site.full.endswith(".seed") and site.logged.is_import
        return not is_lazy_seed and not self._called_in(site.given)

    def _put_seed(self, site, place, otherwise=""):
        """Where it serves several calls, the module's own generator can give each of them a seed."""
        draw = NAMES["makers"][site.full]
        has_module = isinstance(site.call.func, ast.Attribute)
        edit = Edit(SEED + otherwise, ItemKind.MISSING_SEED)
        if draw and has_module:
            edit.for_each = self.segment(site.call.func.value) + "." + draw + otherwise
            edit.module = site.full.split(".")[0]
        return self.edits.add(place, edit)

    def _called_in(self, values):
        return {
            last_part(self.full(node.func))
            for value in values
            for node in ast.walk(value)
            if isinstance(node, ast.Call)
        }

    def _bound_to(self, name):
        """What is given to that name, in any scope."""
        return [node for (_, bound), nodes in self.bound.items() if bound == name for node in nodes]

    # Seeds that are read

    def _replace_reading(self, site):
        """A call that gives a clock, an id or entropy for a seed."""
        if not self._reads(site):
            return False
        place = self.seed_around(site.call)
        if place.node is None or place.node in self.in_texts or self._is_repeated(site, place.node):
            return False
        parts = self._parts_to_replace(place.node, site.last)
        if not parts:
            return False
        self.named.update(filter(takes_seed, re.findall(WORD, place.names)))
        spans = [self.span(part) for part in parts]
        for variable in place.variables:
            self.holders[self.segment(variable), self.scope(variable)].update(spans)
        return all([self._put_number(span) for span in spans])

    def _reads(self, site):
        """True for what reads, and for a function of the user's that can give nothing else."""
        if site.last in READERS:
            return True
        decisions = (ast.If, ast.IfExp, ast.BoolOp)
        return site.last == site.called and not any(
            isinstance(node, decisions)
            for kind in self._bound_to(site.last)
            for node in ast.walk(kind)
        )

    def _is_repeated(self, site, place):
        loops = [node for node in ast.walk(place) if isinstance(node, LOOPS)]
        if any(site.call in ast.walk(loop) for loop in loops):
            return True
        return site.cause is Cause.CLOCK and any(self.around(place, LOOPS))

    def _parts_to_replace(self, place, called):
        """What a number can stand in for: all of a seed, or the readings in it, or nothing."""
        parts, is_alone = self._readings(place, called)
        above = self.parents[place]
        takes_all = isinstance(above, ast.Call) and self._makes_generator(above)
        if is_alone and (takes_all or self._is_number(place)):
            parts = [place]

        def is_replaceable(part):
            is_number = self._is_number(part) and part not in self.in_texts
            return is_number or (part is place and takes_all)

        return parts if all(map(is_replaceable, parts)) else []

    def _makes_generator(self, call):
        full = self.full(call.func)
        return full in NAMES["makers"] or last_part(full) in NAMES["seeded"]

    def _readings(self, value, called):
        """The readings in an expression; and whether nothing else can give its value."""
        calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
        parts = [
            self._whole_reading(call, value)
            for call in calls
            if last_part(self.full(call.func)) in READERS | {called}
        ]
        plain = [
            call.func for call in calls if last_part(self.full(call.func)) in NUMBERS_AND_TEXTS
        ]
        known = {node for part in parts + plain for node in ast.walk(part)}
        others = [
            node
            for node in ast.walk(value)
            if isinstance(node, (ast.Name, ast.BoolOp, ast.IfExp)) and node not in known
        ]
        return parts, bool(parts) and not others

    def _whole_reading(self, node, value):
        """With what is asked of the reading at once: `datetime.now().timestamp()` of its `now()`."""
        while node is not value:
            above = self.parents[node]
            is_asked = isinstance(above, ast.Attribute) or node in self.calls
            makes_number = self.full(getattr(above, "func", above)).endswith("from_bytes")
            if not is_asked and not makes_number:
                break
            node = above
        return node

    def _is_number(self, node):
        """True where a number can stand in: what takes it may ask more of a text, or of a moment."""
        if isinstance(node, ast.BinOp):
            is_format = isinstance(node.left, (ast.Constant, ast.JoinedStr))
            return self._is_number(node.left) or (not is_format and self._is_number(node.right))
        if getattr(node, "attr", "") in ("int", "microsecond"):
            return True
        return isinstance(node, ast.Call) and last_part(self.full(node.func)) in NAMES["numbers"]

    def _put_number(self, span):
        return self.edits.add(span, Edit(SEED, ItemKind.READ_SEED))

    # Seeds that another line made

    def _replace_value(self, site):
        """The edit belongs where the seed is made, and comes here if that is a variable which holds
        nothing but a reading."""
        if not takes_seed(site.full) or site.call in self.in_texts or not site.given:
            return False
        seed = self._seed_among(site.call)
        names = [
            node for node in ast.walk(seed) if isinstance(node, ast.Name) and node not in self.calls
        ]
        makers = [
            self.parents[target]
            for name in names
            for target in self.bound.get((self.scope(name), name.id), ())
        ]
        if self._is_mended_elsewhere(seed, makers):
            self.edits.touched |= self.holders[self.segment(seed), self.scope(seed)]
            return True
        if len(names) != 1 or len(makers) != 1 or not isinstance(makers[0], ASSIGNMENTS):
            return False
        made_of = makers[0].value
        is_reading = made_of and self._readings(made_of, None)[1]
        return bool(is_reading) and self._put_number(self.span(seed))

    def _seed_among(self, call):
        """The argument that is called a seed, else the first."""
        named = [option.value for option in call.keywords if takes_seed(option.arg or "")]
        return (named + call.args + [option.value for option in call.keywords])[0]

    def _is_mended_elsewhere(self, seed, makers):
        loops = [maker.iter for maker in makers if hasattr(maker, "iter")]
        words = re.findall(WORD, " ".join(map(self.segment, [seed] + loops)))
        return bool(self.named & set(words))

    # The generators of modules

    def draws(self, module, node=None):
        """True if code draws from that module's own generator, and not only from one that it makes.
        `node`: a part of the file; else all of it."""
        names = {
            self.full(inner)
            for inner in ast.walk(node or self.tree)
            if isinstance(inner, (ast.Name, ast.Attribute))
        }
        if node is None:
            names.update(self.imports.values())
        beginnings = tuple(NAMES["generators"][module][1:])
        return any(name.startswith(beginnings) for name in names - DRAWS_BY_ITSELF)

    def draws_before_seed(self, module):
        """True if this file draws, or if it seeds with nothing may draw, before it seeds that
        module's generator by a call of its own or by a helper's."""
        seeder = NAMES["generators"][module][0]
        seedings = [
            (self.full(call.func) != seeder, call.lineno, call.col_offset, call)
            for call in self.calls.values()
            if "seed" in last_part(self.full(call.func)).lower()
        ]
        if not seedings:
            return False
        is_helper, line, column, call = min(seedings, key=lambda seeding: seeding[:3])
        shown = "".join(self.segment(call).split())
        seeds_with_nothing = shown.endswith(("()", "(None)")) and not is_helper
        return any(
            seeds_with_nothing or not any(self.around(node, FUNCTIONS))
            for node in self._draws_above(module, (line, column))
        )

    def _draws_above(self, module, place):
        for node in self.parents:
            is_name = isinstance(node, (ast.Name, ast.Attribute))
            if not is_name or (node.lineno, node.col_offset) >= place:
                continue
            full = self.full(node)
            if full.startswith(NAMES["draws"][module]) and full not in DRAWS_BY_ITSELF:
                yield node


def _bases(node):
    return getattr(node, "bases", ())


def _is_constant(node, value):
    return isinstance(node, ast.Constant) and node.value is value


# What can mend a call in a line, by what the log says of the line. All are tried.
RULES = {
    Cause.FOLDER: (PythonFile._sort_entries,),
    Cause.READING: (PythonFile._replace_reading, PythonFile._give_seed),
    Cause.CLOCK: (PythonFile._replace_reading,),
    Cause.VALUE: (PythonFile._replace_value,),
}
