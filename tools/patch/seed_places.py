"""Which expression of a file is a seed, by where it stands.

What is given to `seed = ...`, to `random.seed(...)` or by `return` of `get_seed` is one. Names alone
say so (names.py): a number that becomes a seed by a name that does not say it is not found here.
"""

import ast
from typing import NamedTuple, Optional

from names import takes_seed, takes_seed_by_any
from python_code import ASSIGNMENTS, FUNCTIONS


class SeedPlace(NamedTuple):
    """An expression that is a seed by where it stands."""

    node: Optional[ast.AST]
    names: str = ""  # of what holds it: variables, options, keys
    variables: tuple = ()


NO_SEED = SeedPlace(None)


def seed_around(file, node):
    """The smallest expression around it that is a seed."""
    while not isinstance(node, ast.stmt):
        holder = file.parents[node]
        place = HOLDERS.get(type(holder), _in_other)(file, node, holder)
        if place is not None:
            return place
        node = holder
    return NO_SEED


def _in_other(*_):
    return None


def _in_keyword(file, value, keyword):
    """What an option's name says comes first: `make_rng(noise=...)` tells nothing of a seed."""
    call = file.parents[keyword]
    name = keyword.arg or ""
    if name == "default":  # add_argument("--random-seed", default=...)
        name = " ".join(map(file.segment, call.args)).replace("-", "_")
    if takes_seed_by_any(name):
        return SeedPlace(value, name)
    return NO_SEED if takes_seed(file.callee(call)) else None


def _in_call(file, value, call):
    is_seed = value in call.args and takes_seed(file.callee(call))
    return SeedPlace(value) if is_seed else None


def _in_return(file, value, statement):
    function = next(file.around(statement, FUNCTIONS))
    return SeedPlace(value) if takes_seed(function.name) else None


def _in_dictionary(file, value, dictionary):
    keys = dict(zip(dictionary.values, dictionary.keys))
    name = file.segment(keys.get(value) or dictionary)
    return SeedPlace(value, name) if value in keys and takes_seed(name) else None


def _in_assignment(file, value, statement):
    """Of several targets all are seeds, or the value is none; one of a tuple's is not known."""
    targets = getattr(statement, "targets", None) or [statement.target]
    names = list(map(file.segment, targets))
    is_seed = value is statement.value and all(map(takes_seed, names))
    is_one = {ast.Tuple, ast.List}.isdisjoint(map(type, targets))
    return SeedPlace(value, " ".join(names), tuple(targets)) if is_seed and is_one else None


HOLDERS = {
    ast.keyword: _in_keyword,
    ast.Call: _in_call,
    ast.Return: _in_return,
    ast.Dict: _in_dictionary,
    **dict.fromkeys(ASSIGNMENTS, _in_assignment),
}
