"""What rules ask of a node of a tree."""

import ast
from itertools import chain

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
IMPORTS = (ast.Import, ast.ImportFrom)


def only(nodes, *types):
    return [node for node in nodes if isinstance(node, types)]


def last_name(node):
    """`c` of `c` and of `a.b.c`; empty for what is no name."""
    return getattr(node, "attr", getattr(node, "id", ""))


def names_as_texts(node):
    """What a definition, an exception or a pattern of `match` binds."""
    if isinstance(node, ast.alias):
        return set()
    names = (getattr(node, "name", None), getattr(node, "rest", None))
    return set(only(names, str))


def name_of_alias(alias):
    """What `import a.b` and `import a.b as c` bind."""
    return alias.asname or alias.name.split(".")[0]


def top_modules(node):
    """`a` of `import a.b` and of `from a.b import c`."""
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").split(".")[0]}
    return {alias.name.split(".")[0] for alias in node.names}


def names_imported(node):
    return {alias.name for alias in node.names}


def text_of(node):
    """Of a constant; None for what is no text."""
    text = getattr(node, "value", None)
    return text if isinstance(text, str) else None


def inside(node, *types):
    """The nodes of these types in a part of a tree, and the part itself."""
    return only(ast.walk(node), *types)


def inside_all(nodes):
    """All that stands in several parts, and the parts themselves."""
    return list(chain(*map(ast.walk, nodes)))


def is_read(node):
    return isinstance(node.ctx, ast.Load)


def is_stored(node):
    return isinstance(node.ctx, ast.Store)


def is_method_call(node):
    """`thing.method(...)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)


def given_to(call):
    """All that a call hands over."""
    return [*call.args, *(word.value for word in call.keywords)]


def words_of(call):
    """The names of its keywords; None stands for a dict that is handed over as keywords."""
    return {word.arg for word in call.keywords}


def values_of_words(call, *names):
    return [word.value for word in call.keywords if word.arg in names]


def simple_names(nodes):
    """Empty for what is no simple name."""
    return {getattr(node, "id", "") for node in nodes}


def names_of(definitions):
    return {node.name for node in definitions}


def is_bare(node):
    """A class that nothing but its bases makes another one."""
    return not (node.keywords or node.decorator_list)


def is_no_star(node):
    return not isinstance(node, ast.Starred)


def has_star(nodes):
    return not all(map(is_no_star, nodes))


def parameters(function):
    return [node for node in ast.walk(function.args) if isinstance(node, ast.arg)]


def parameters_by_place(function):
    return [*function.args.posonlyargs, *function.args.args]


def defaults(function):
    """`None` stands in `kw_defaults` for a parameter that has none."""
    return [*function.args.defaults, *filter(None, function.args.kw_defaults)]


def has_yield(function):
    return bool(inside(function, ast.Yield, ast.YieldFrom))
