"""What is proposed: edits of a file, by their kinds.

An edit is a place in the text and what stands there then. A number for a seed is chosen at the end,
when all edits are known, in the order of the text: so that equal variables get equal numbers, and
no two others do.
"""

import collections
import dataclasses
import enum
import re
from typing import Dict


class ItemKind(enum.Enum):
    """Each with what is said of its edits. `{}`: what it is about."""

    READ_SEED = "this seed is another one in each run: it comes from a clock, an id or the kernel"
    MISSING_SEED = "without a seed it takes one from the kernel"
    FOLDER_ORDER = "the entries of a folder come in no fixed order"
    GENERATOR = "nobody seeds the generator of {}"
    CUBLAS_SETTING = "cuBLAS may add in another order without it"


# In the text of an edit: the seed.
SEED = "\0"


# Kinds of which each edit is a seed: where one serves several calls, all of them draw alike.
SEED_KINDS = (ItemKind.READ_SEED, ItemKind.MISSING_SEED)


# Shares of a seed are added up: 2, but for what rounding takes.
SEVERAL_TIMES = 1.9


@dataclasses.dataclass
class Edit:
    """`for_each`: with that in place of `text` each of several calls gets a seed of its own, drawn
    from the generator of `module`; "" where nothing can. `shares`: how many seeds the edit gave in
    the run, by function and seed."""

    text: str
    kind: ItemKind
    about: str = ""
    for_each: str = ""
    module: str = ""
    shares: Dict[str, Dict[object, float]] = dataclasses.field(
        default_factory=lambda: collections.defaultdict(dict)
    )

    def is_seed(self):
        return self.kind in SEED_KINDS

    def serves_several(self):
        return self.is_seed() and self.times() >= SEVERAL_TIMES

    def times(self):
        """How many seeds it gave in the run, by the function of which most are known."""
        return max((sum(by_seed.values()) for by_seed in self.shares.values()), default=0)

    def replaces_variable(self, old):
        return self.text == SEED and re.fullmatch(r"[\w.]+", old) is not None

    def text_with(self, seeds, key):
        """A key that is not asked for takes no number."""
        return self.text.replace(SEED, str(seeds[key])) if SEED in self.text else self.text

    def reason(self):
        return self.kind.value.format(self.about)


NO_EDIT = Edit("", ItemKind.FOLDER_ORDER)


class Edits:
    """Of one text, by where they begin and end in it."""

    def __init__(self):
        self.by_place = {}
        self.touched = set()  # the places since the last begin_call()

    def begin_call(self):
        self.touched = set()

    def add(self, place, edit):
        """True, since something changes there. Of two edits in one place the first stays."""
        self.touched.add(place)
        self.by_place.setdefault(place, edit)
        return True

    def take(self, place):
        """Takes the edit away, and gives its text; empty where there is none."""
        return self.by_place.pop(place, NO_EDIT).text

    def add_share(self, function, passed, count, others):
        """A call gave seeds in this line. Of several places in it nobody says which is which."""
        for place in self.touched:
            share = 1 / (len(self.touched) + others)
            shares = self.by_place[place].shares[function]
            if passed:
                shares.update(dict.fromkeys(passed, share))
            else:
                shares[""] = shares.get("", 0) + count * share

    def begin_in(self, begin, end):
        """True if one of them begins there."""
        return any(begin <= first < end for first, _ in self.by_place)

    def in_order(self):
        return sorted(self.by_place.items(), key=lambda item: item[0])

    def changed(self, text, seeds):
        """The text with the edits; of those that overlap, with the first. `seeds`: a new number for
        each new key. A variable has one number wherever it stands, each other place its own."""
        result = ""
        done = 0
        for (begin, end), edit in self.in_order():
            if begin >= done:
                old = text[begin:end]
                key = old if edit.replaces_variable(old) else (self, begin)
                result += text[done:begin] + edit.text_with(seeds, key)
                done = end
        return result + text[done:]
