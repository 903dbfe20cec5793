"""What gives a seed to a call that takes one from the kernel, because it gets none.

`Random()` and `Random(None)` get a number. `Random(seed)` gets one where `seed` is None, since the
file may have a seed of its own too. A call that gets more than that stays, and is named where it
draws for itself: it may give its seed elsewhere.
"""

import ast

from items import SEED, Edit, ItemKind
from names import MAKERS, READERS
from python_code import is_none
from sites import Refusal, Site, always, first_that_fits


def give_seed(site):
    return first_that_fits(ROWS, site)(site)


# Conditions


def _got_seed(site):
    return bool(site.logged.seeds)


def _is_no_maker(site):
    return site.full not in MAKERS or site.is_in_text()


def _is_uncounted(site):
    """A package is imported in a loop: how often is not known."""
    return site.logged.is_import and site.is_in_loop()


def _is_torchs(site):
    return site.full == "torch.seed"


def _passes_none(site):
    return any(map(is_none, site.given))


def _is_import_of_seeder(site):
    """What a package draws as it is imported there is no missing seed."""
    return site.full.endswith(".seed") and site.logged.is_import


def _passes_one_variable(site):
    """One value, which may be None and may be a number."""
    is_constant = isinstance(site.given[0], ast.Constant)
    return len(site.given) == 1 and not (is_constant or site.functions_given())


def _passes_seed_of_others(site):
    """What it is given is made by functions, and none of them reads."""
    functions = site.functions_given()
    return bool(functions) and READERS.isdisjoint(functions)


# What is done


def _refuse(site):
    return site.refuse(Refusal.MISSING_SEED)


def _refuse_empty(site):
    """A method that seeds, and a class of the user's made of a generator's, get nothing."""
    classes = site.file.bound_to.get(site.last, ())
    bases = [site.file.full(base) for node in classes for base in getattr(node, "bases", ())]
    makes = site.last == "seed" or not MAKERS.keys().isdisjoint([site.full, *bases])
    return _refuse(site) if makes and not site.given else False


def _exchange_torch_seed(site):
    """torch.seed() gives a number, and takes none: torch.manual_seed(N) is the other way round."""
    is_statement = isinstance(site.above, ast.Expr)
    if site.given or not is_statement or not site.is_of_attribute():
        return _refuse(site)
    name_end = site.file.span(site.call.func)[1]
    place = (name_end - len("seed"), site.file.span(site.call)[1])
    return site.put(place, f"manual_seed({SEED})", ItemKind.MISSING_SEED)


def _put_into_brackets(site):
    end = site.file.span(site.call)[1] - 1
    return _put_seed(site, (end, end))


def _put_for_none(site):
    none = next(filter(is_none, site.given))
    return _put_seed(site, site.file.span(none))


def _put_where_none(site):
    value = site.file.segment(site.given[0])
    return _put_seed(site, site.file.span(site.given[0]), f" if {value} is None else {value}")


def _put_seed(site, place, behind=""):
    """Where it serves several calls, the module's own generator can give each of them a seed."""
    edit = Edit(SEED + behind, ItemKind.MISSING_SEED)
    draw = MAKERS[site.full]
    if draw and site.is_of_attribute():
        edit.for_each = f"{site.file.segment(site.call.func.value)}.{draw}{behind}"
        edit.module = site.full.split(".")[0]
    return site.file.edits.add(place, edit)


ROWS = (
    (_got_seed, Site.leave),
    (_is_no_maker, _refuse_empty),
    (_is_uncounted, _refuse),
    (_is_torchs, _exchange_torch_seed),
    (Site.is_given_nothing, _put_into_brackets),
    (_passes_none, _put_for_none),
    (_passes_seed_of_others, _refuse),
    (_is_import_of_seeder, Site.leave),
    (_passes_one_variable, _put_where_none),
    (always, Site.leave),
)
