"""What sorts the entries of a folder, in the line that reads it.

A list is put into `sorted(...)`, an iterator into `iter(sorted(...))`, and os.walk() into a loop
that sorts as it goes. Where the order is nobody's, nothing is needed. Where something else than its
entries is asked of what the call gives, or where `sorted` is the file's own, nothing fits, and the
place is named.
"""

import ast
import re

from items import ItemKind
from names import NAMES
from sites import Refusal, Site, always, first_that_fits

WITHOUT_ORDER = {"sorted", "len", "set"}
TAKES_ALL = {"list", "tuple", "enumerate", "sorted"}
LOOPS_OVER = (ast.For, ast.comprehension)
ASKS_MORE = (ast.withitem, ast.Attribute)  # `with os.scandir()`, `path.iterdir().send()`


def sort_entries(site):
    return first_that_fits(ROWS, site)(site)


# What the call gives


def _form(site):
    """What is put in front of it and behind, and what it gives; None of what reads no folder."""
    return NAMES["sorted"].get(site.full) or NAMES["sorted"].get("." + site.last)


def _reads_no_folder(site):
    return _form(site) is None


def _gives_list(site):
    return _form(site)[2] == "list"


def _gives_iterator(site):
    return _form(site)[2] == "iterator"


# What is made of it


def _taker(site):
    """ "sorted" of sorted(CALL)."""
    is_taken = getattr(site.above, "args", None) == [site.call]
    return site.file.full(getattr(site.above, "func", None)) if is_taken else ""


def _is_any_order_right(site):
    return _taker(site) in WITHOUT_ORDER - site.file.names and not _leaves_ties(site)


def _leaves_ties(site):
    """True for sorted(..., key=len), which leaves some entries as the folder has them."""
    keys = [word.value for word in site.above.keywords if word.arg == "key"]
    return any(not re.search("name|path|str", site.file.segment(key)) for key in keys)


def _has_own_sorted(site):
    return not site.file.names.isdisjoint({"sorted", "iter"})


def _is_walk_with_options(site):
    """Upwards os.walk() has read a folder before it hands it out."""
    return site.full == "os.walk" and bool(site.call.keywords + site.call.args[1:])


def _is_iterated_at_once(site):
    return isinstance(site.above, LOOPS_OVER) or _taker(site) in TAKES_ALL


def _is_asked_more(site):
    return site.full == "os.scandir" or isinstance(site.above, ASKS_MORE)


def _is_closed(site):
    targets = site.above.targets[:1] if isinstance(site.above, ast.Assign) else []
    return any(site.file.segment(target) + ".close" in site.file.text for target in targets)


# What is done


def _refuse(site):
    return site.refuse(Refusal.FOLDER)


def _sort(site, before="", behind=""):
    begin, end = site.file.span(site.call)
    form = _form(site)
    site.put((begin, begin), before + form[0], ItemKind.FOLDER_ORDER)
    return site.put((end, end), form[1] + behind, ItemKind.FOLDER_ORDER)


def _sort_into_iterator(site):
    return _sort(site, "iter(", ")")


ROWS = (
    (_reads_no_folder, Site.leave),
    (Site.is_in_text, Site.leave),
    (_is_any_order_right, Site.need_nothing),
    (_has_own_sorted, _refuse),
    (_is_walk_with_options, _refuse),
    (_gives_list, _sort),
    (_is_iterated_at_once, _sort),
    (_is_asked_more, _refuse),
    (_is_closed, _refuse),
    (_gives_iterator, _sort_into_iterator),
    (always, _sort),
)
