"""Which names a file of Python's binds in which scope, and what its imports mean."""

import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef, ast.Module)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Scopes:
    """The scopes of a tree: `parents` of each node, `bound` names by scope."""

    def __init__(self, tree):
        self.tree = tree
        self.parents = {c: n for n in ast.walk(tree) for c in ast.iter_child_nodes(n)}
        self.elsewhere = {}  # names by scope that `global` and `nonlocal` take out of it
        self.outside = {}  # by `nonlocal` alone: an outer function binds these
        self.bound = {}
        self.bound_otherwise = set()  # names by scope that something else than an import binds
        self.imports = {}  # "time.perf_counter" by scope and name
        for node in ast.walk(tree):
            if isinstance(node, ast.Global):
                self.elsewhere.setdefault(self.scope_of(node), set()).update(node.names)
            elif isinstance(node, ast.Nonlocal):
                self.outside.setdefault(self.scope_of(node), set()).update(node.names)
        for node in ast.walk(tree):
            self._add(node)

    def scope_of(self, node):
        """The scope that a node stands in."""
        inner, node = node, self.parents[node]
        self._from_iter = False
        while not isinstance(node, SCOPES) or self._is_outside(inner, node):
            if isinstance(node, ast.comprehension):
                self._from_iter = inner is node.iter
            inner, node = node, self.parents[node]
        return node

    def _is_outside(self, inner, scope):
        """Defaults and decorators of a function, and the first sequence of a comprehension, stand
        outside of it."""
        if isinstance(scope, FUNCTIONS):
            return not self._is_in_body(inner, scope)
        if isinstance(scope, COMPREHENSIONS):
            return inner is scope.generators[0] and self._from_iter
        if isinstance(scope, ast.ClassDef):
            return not self._is_in_body(inner, scope)
        return False

    @staticmethod
    def _is_in_body(inner, scope):
        body = scope.body
        return inner in body if isinstance(body, list) else inner is body

    def _add(self, node):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._add_imports(node)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            self._bind_otherwise(self.scope_of_name(node), node.id)
        elif isinstance(node, ast.arg):
            self._bind_otherwise(self.scope_of_argument(node), node.arg)
        elif not isinstance(node, ast.alias):
            # Definitions, exceptions, patterns of `match`: they have their names as texts.
            for name in (getattr(node, "name", None), getattr(node, "rest", None)):
                if isinstance(name, str):
                    self._bind_otherwise(self.scope_of(node), name)

    def scope_of_name(self, node):
        """`:=` in a comprehension binds outside of it."""
        scope = self.scope_of(node)
        if isinstance(self.parents[node], ast.NamedExpr):
            while isinstance(scope, COMPREHENSIONS):
                scope = self.scope_of(scope)
        return scope

    def scope_of_argument(self, node):
        while not isinstance(node, FUNCTIONS):
            node = self.parents[node]
        return node

    def _bind_otherwise(self, scope, name):
        self.bound_otherwise.add((self._bind(scope, name), name))

    def _bind(self, scope, name):
        if name in self.outside.get(scope, ()):
            return scope
        if name in self.elsewhere.get(scope, ()):
            scope = self._outer_scope(scope, name)
        self.bound.setdefault(scope, set()).add(name)
        return scope

    def _outer_scope(self, scope, name):
        """For `nonlocal` the module too: such a name is looked up in vain then."""
        while scope is not self.tree and name in self.elsewhere.get(scope, ()):
            scope = self.tree
        return scope

    def _add_imports(self, node):
        scope = self.scope_of(node)
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            self._bind(scope, name)
            if isinstance(node, ast.ImportFrom):
                meant = "" if node.level else f"{node.module}.{alias.name}"
            else:
                meant = alias.name if alias.asname else name
            known = self.imports.setdefault((scope, name), meant)
            if known != meant:
                self.imports[scope, name] = ""

    def scope_with(self, node, name):
        """The scope that binds the name as it is read there; None for a builtin."""
        scope = self.scope_of(node)
        is_innermost = True
        while True:
            is_passed = isinstance(scope, ast.ClassDef) and not is_innermost
            if not is_passed and name in self.elsewhere.get(scope, ()):
                return self.tree
            if not is_passed and name in self.bound.get(scope, ()):
                return scope
            if scope is self.tree:
                return None
            scope, is_innermost = self.scope_of(scope), False

    def imported(self, scope, name):
        """ "time.perf_counter" of a name that an import gives, and nothing else; else empty."""
        is_imports = (scope, name) not in self.bound_otherwise
        return self.imports.get((scope, name), "") if is_imports else ""

    def is_given_new_list(self, target):
        """True for `target = []`, and for one of `losses, times = [], []`."""
        around = self.parents[target]
        if isinstance(around, ast.Tuple):
            whole = self.parents[around]
            values = self._single_value(whole)
            if not isinstance(values, ast.Tuple) or len(values.elts) != len(around.elts):
                return False
            return isinstance(values.elts[around.elts.index(target)], ast.List)
        return isinstance(self._single_value(around), ast.List)

    @staticmethod
    def _single_value(statement):
        if isinstance(statement, ast.AnnAssign):
            return statement.value
        is_one = isinstance(statement, ast.Assign) and len(statement.targets) == 1
        return statement.value if is_one else None

    def statement_of(self, node):
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node
