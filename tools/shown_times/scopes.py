"""Which names a file of Python's binds in which scope, and what its imports mean.

A name means an import if imports alone bind it in its scope, and all the same one. That is read off
the tree; what is bound by a text (`globals()["x"] = ...`) is hiding.py's matter.
"""

import ast
from collections import defaultdict
from itertools import filterfalse

from nodes import FUNCTIONS, is_read, name_of_alias, names_as_texts

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
WITH_BODIES = (*FUNCTIONS, ast.ClassDef, ast.Module)


class Scopes:
    """The scopes of a tree: `parents` of each node, `bound` names by scope."""

    def __init__(self, tree):
        self.tree = tree
        self.parents = {}
        self.places = {tree: tree}  # the one that each node stands in
        self.by_type = defaultdict(list)
        for node in ast.walk(tree):
            self._place_children(node)
        # Names by scope: those that `global` takes out of it, and that an outer function binds.
        self.elsewhere = self._names_declared(ast.Global)
        self.outside = self._names_declared(ast.Nonlocal)
        self.bound = defaultdict(set)
        self.bound_otherwise = set()  # names by scope that something else than an import binds
        self.imports = {}  # "time.perf_counter" by scope and name
        self._add_imports()
        for node in self.written(ast.Name):
            self._bind_otherwise(self.scope_of_name(node), node.id)
        for node in self.of(ast.arg):
            self._bind_otherwise(self.scope_of_argument(node), node.arg)
        for node in self.parents:
            for name in names_as_texts(node):
                self._bind_otherwise(self.places[node], name)

    def of(self, *types):
        """The nodes of these types, but for the tree itself."""
        return [node for kind in types for node in self.by_type[kind]]

    def written(self, kind):
        """Names, or attributes, that are given a value or deleted."""
        return list(filterfalse(is_read, self.by_type[kind]))

    def texts(self):
        return [node for node in self.of(ast.Constant) if isinstance(node.value, str)]

    # ---- Places

    def _place_children(self, node):
        for child in ast.iter_child_nodes(node):
            self.parents[child] = node
            self.by_type[type(child)].append(child)
            self.places[child] = self.places[node]
        for child in self._inner_nodes(node):
            self.places[child] = node
        if isinstance(node, ast.comprehension):
            around = self.parents[node]
            if node is around.generators[0]:
                self.places[node.iter] = self.places[around]

    @staticmethod
    def _inner_nodes(node):
        """Those that stand in the scope that a node is. Defaults and decorators of a function do
        not, nor does the first sequence of a comprehension."""
        if isinstance(node, WITH_BODIES):
            return node.body
        if isinstance(node, ast.Lambda):
            return [node.body]
        return ast.iter_child_nodes(node) if isinstance(node, COMPREHENSIONS) else ()

    def scope_of(self, node):
        """The scope that a node stands in."""
        return self.places[node]

    def scope_of_name(self, node):
        """`:=` in a comprehension binds outside of it."""
        scope = self.places[node]
        if isinstance(self.parents[node], ast.NamedExpr):
            while isinstance(scope, COMPREHENSIONS):
                scope = self.places[scope]
        return scope

    def scope_of_argument(self, node):
        return self.nearest(node, *FUNCTIONS, ast.Lambda)

    def statement_of(self, node):
        return self.nearest(node, ast.stmt)

    def nearest(self, node, *types):
        """Of these types: the node itself, or the one that stands around it next."""
        while not isinstance(node, types):
            node = self.parents[node]
        return node

    def call_of(self, node):
        """The call of what the node names; None if it is not called."""
        call = self.parents[node]
        return call if isinstance(call, ast.Call) and call.func is node else None

    # ---- What binds

    def _names_declared(self, kind):
        names = defaultdict(set)
        for node in self.of(kind):
            names[self.places[node]].update(node.names)
        return names

    def _bind_otherwise(self, scope, name):
        self.bound_otherwise.add((self._bind(scope, name), name))

    def _bind(self, scope, name):
        if name in self.outside[scope]:
            return scope
        if name in self.elsewhere[scope]:
            scope = self.tree
        self.bound[scope].add(name)
        return scope

    def _add_imports(self):
        for alias in self.of(ast.alias):
            statement = self.parents[alias]
            scope, name = self.places[statement], name_of_alias(alias)
            self._bind(scope, name)
            meant = self._meant_by(statement, alias)
            if self.imports.setdefault((scope, name), meant) != meant:
                self.imports[scope, name] = ""

    @staticmethod
    def _meant_by(node, alias):
        if isinstance(node, ast.ImportFrom):
            return "" if node.level else f"{node.module}.{alias.name}"
        return alias.name if alias.asname else name_of_alias(alias)

    # ---- What names mean

    def _scopes_around(self, node):
        """From the inside out. The names of a class are seen in its own body alone."""
        scope = self.places[node]
        yield scope
        while scope is not self.tree:
            scope = self.places[scope]
            if not isinstance(scope, ast.ClassDef):
                yield scope

    def scope_with(self, node, name):
        """The scope that binds the name as it is read there; None for a builtin."""
        for scope in self._scopes_around(node):
            if name in self.elsewhere[scope]:
                return self.tree
            if name in self.bound[scope]:
                return scope
        return None

    def key_of(self, name):
        """The scope that binds a name, and the name."""
        return self.scope_with(name, name.id), name.id

    def makers(self):
        """By scope and name: the calls that make what the name is given, None for anything else."""
        made = defaultdict(set)
        for node in self.written(ast.Name):
            made[self.key_of(node)].add(self._maker_of(node))
        for node in self.of(ast.arg):
            made[self.scope_of_argument(node), node.arg].add(None)
        return made

    def _maker_of(self, name):
        """Of `name = Class(...)` and `with Class(...) as name`."""
        around = self.parents[name]
        is_one = isinstance(around, ast.withitem) or len(getattr(around, "targets", ())) == 1
        given = getattr(around, "value", getattr(around, "context_expr", None))
        return given if is_one and isinstance(given, ast.Call) else None

    def imported(self, scope, name):
        """ "time.perf_counter" of a name that an import gives, and nothing else; else empty."""
        is_imports = (scope, name) not in self.bound_otherwise
        return self.imports.get((scope, name), "") if is_imports else ""

    def is_given_new_list(self, target):
        """True for `target = []`, and for one of `losses, times = [], []`."""
        around = self.parents[target]
        if not isinstance(around, ast.Tuple):
            return isinstance(single_value(around), ast.List)
        values = single_value(self.parents[around])
        if not isinstance(values, ast.Tuple) or len(values.elts) != len(around.elts):
            return False
        return isinstance(values.elts[around.elts.index(target)], ast.List)


def single_value(statement):
    """What a statement gives to one target."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value
    is_one = isinstance(statement, ast.Assign) and len(statement.targets) == 1
    return statement.value if is_one else None
