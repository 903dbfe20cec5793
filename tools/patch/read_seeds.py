"""What stands in for a clock, an id or entropy of the kernel's that a line reads for a seed.

A number takes the place of the whole seed if nothing else can give its value, or of the readings in
it: `int(os.getenv("SEED") or time.time())` becomes `int(os.getenv("SEED") or 42)`. Where the seed is
no number, or a loop makes several of them, nothing is changed.
"""

import ast
import re

from items import SEED, ItemKind
from names import MAKERS, NAMES, READERS, WORD, last_part, takes_seed
from python_code import LOOPS, inside
from readings import is_number, readings
from seed_places import seed_around
from sites import Cause

DECISIONS = (ast.If, ast.IfExp, ast.BoolOp)


def replace_reading(site):
    """Of a call that gives a clock, an id or entropy for a seed."""
    file = site.file
    seed = seed_around(file, site.call)
    if not _gives_one_number(site, seed.node):
        return False
    spans = set(map(file.span, _replaceable(site, seed.node)))
    for span in spans:
        put_number(site, span)
    _note_names(file, seed, spans)
    return bool(spans)


def put_number(site, span):
    return site.put(span, SEED, ItemKind.READ_SEED)


def _note_names(file, seed, spans):
    """What is called so has a number now, and other places that pass it need none."""
    words = re.findall(WORD, seed.names if spans else "")
    file.named.update(filter(takes_seed, words))
    for variable in seed.variables:
        file.holders[file.segment(variable), file.scope(variable)].update(spans)


def _gives_one_number(site, seed):
    """A number has room for it, and it is one number."""
    is_apart = seed is None or site.file.is_in_text(seed)
    return not is_apart and _reads(site) and not _is_repeated(site, seed)


def _reads(site):
    return site.last in READERS or (site.last == site.called and _gives_one_thing(site))


def _gives_one_thing(site):
    """True for a function of the user's that decides nothing."""
    return not any(inside(body, *DECISIONS) for body in site.file.bound_to.get(site.last, ()))


def _is_repeated(site, seed):
    """In a loop. Of clocks nobody counted how often; else a loop around all of the seed is counted."""
    loop = next(site.file.around(site.call, LOOPS), None)
    known = ast.walk(site.file.tree if site.cause is Cause.CLOCK else seed)
    return loop in known


def _replaceable(site, seed):
    """What a number can stand in for: all of a seed, or the readings in it, or nothing."""
    parts, is_alone = readings(site.file, seed, site.last)

    def has_room(part):
        return (part is seed and _takes_any(site.file, seed)) or is_number(site.file, part)

    ways = [[seed], parts] if is_alone else [parts]
    return next((way for way in ways if all(map(has_room, way))), [])


def _takes_any(file, seed):
    """True where a generator is made of it, which is by anything."""
    full = file.full(getattr(file.parents[seed], "func", None))
    return full in MAKERS or last_part(full) in NAMES["seeded"]
