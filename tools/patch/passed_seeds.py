"""What is changed where a line passes a seed that another line made.

The edit belongs where the seed is made. It comes here if that is a variable which holds nothing but
a reading. How a seed came into an attribute, a parameter or a loop is not followed.
"""

import ast
import re

from names import WORD, takes_seed
from python_code import ASSIGNMENTS, inside
from read_seeds import put_number
from readings import readings
from sites import Site, always, first_that_fits


def replace_value(site):
    return first_that_fits(ROWS, site)(site)


def _seed(site):
    """The argument that is called a seed, else the first."""
    named = [word for word in site.call.keywords if takes_seed(word.arg or "")]
    return named[0].value if named else site.given[0]


def _makers(site):
    """The statements that give the seed's variables a value, a list for each."""
    names = inside(_seed(site), ast.Name)
    return [site.file.givers(name) for name in names if name not in site.file.calls]


def _takes_no_seed(site):
    return not site.given or not takes_seed(site.full)


def _is_mended_elsewhere(site):
    """What it is called has a number now, or what it comes from in a loop."""
    loops = [maker.iter for makers in _makers(site) for maker in makers if hasattr(maker, "iter")]
    words = re.findall(WORD, " ".join(map(site.file.segment, [_seed(site), *loops])))
    return not site.file.named.isdisjoint(words)


def _holds_reading(site):
    """A variable that one statement gives a reading, and nothing else."""
    makers = _makers(site)
    is_one = list(map(len, makers)) == [1] and isinstance(makers[0][0], ASSIGNMENTS)
    value = makers[0][0].value if is_one else None
    return value is not None and readings(site.file, value)[1]


def _note_holder(site):
    seed = _seed(site)
    site.file.edits.touched |= site.file.holders[site.file.segment(seed), site.file.scope(seed)]
    return True


def _put_number(site):
    return put_number(site, site.file.span(_seed(site)))


ROWS = (
    (_takes_no_seed, Site.leave),
    (Site.is_in_text, Site.leave),
    (_is_mended_elsewhere, _note_holder),
    (_holds_reading, _put_number),
    (always, Site.leave),
)
