"""Which generators of modules a file draws from, and whether it seeds them before.

Names tell it, by their beginnings: all that is called "numpy.random..." may draw from numpy's own
generator, but for what makes a generator or draws from the kernel. Nobody knows here whether a line
is run.
"""

import ast

from names import DRAWS_BY_ITSELF, NAMES, last_part, takes_seed
from python_code import FUNCTIONS, inside

CONDITIONS = (ast.If, ast.IfExp, ast.Lambda, ast.FunctionDef)
WITHOUT_SEED = ("()", "(None)")


def seeder_of(module):
    return NAMES["generators"][module][0]


def draws(file, module):
    """True if code draws from that module's own generator, and not only from one that it makes."""
    return _draw_from(module, {*file.imports.values(), *_meanings(file, file.tree)})


def draws_in(file, module, statement):
    return _draw_from(module, _meanings(file, statement))


def _meanings(file, part):
    return set(map(file.full, inside(part, ast.Name, ast.Attribute)))


def _draw_from(module, names):
    beginnings = tuple(NAMES["generators"][module][1:])
    return any(name.startswith(beginnings) for name in names - DRAWS_BY_ITSELF)


def draws_before_seed(file, module):
    """True if the file draws, or if it seeds with nothing may draw, before it seeds that module's
    generator by a call of its own or by a helper's."""
    seedings = [call for call in file.of(ast.Call) if _speaks_of_seed(file, call)]
    if not seedings:
        return False

    def by_place(call):
        is_helper = file.callee(call) != seeder_of(module)
        return is_helper, call.lineno, call.col_offset

    seeding = min(seedings, key=by_place)
    is_helper, *place = by_place(seeding)
    draws_above = _sure_draws_above(file, module, tuple(place))
    if "".join(file.segment(seeding).split()).endswith(WITHOUT_SEED) and not is_helper:
        return bool(draws_above)
    return not all(file.is_in(node, FUNCTIONS) for node in draws_above)


def _speaks_of_seed(file, call):
    return "seed" in last_part(file.callee(call)).lower()


def _sure_draws_above(file, module, place):
    names = file.of(ast.Name, ast.Attribute)
    above = [node for node in names if (node.lineno, node.col_offset) < place]
    draws_surely = NAMES["draws"][module]
    return [node for node in above if _drawing_name(file, node).startswith(draws_surely)]


def _drawing_name(file, node):
    """Empty for what makes a generator of its own."""
    full = file.full(node)
    return "" if full in DRAWS_BY_ITSELF else full


def surely_seeds(file, module):
    """True if it seeds that on no condition, and in no function that may be a worker's."""
    calls = file.calls_of(seeder_of(module))
    return any(all(map(_is_sure, file.around(call, CONDITIONS))) for call in calls)


def _is_sure(around):
    is_function = isinstance(around, ast.FunctionDef)
    return is_function and (around.name == "main" or takes_seed(around.name))
