"""A Python file as Python's own parser reads it: its nodes, and what its names mean.

Names are followed as far as a file tells it by itself: through its imports, and through what its own
module gives to a name. `import numpy.random as nr` makes "numpy.random.seed" of `nr.seed`; what an
object's attribute holds, nobody knows here, and a method of it is ".seed".
"""

import ast
import collections

from python_text import PythonText

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
IMPORTS = (ast.Import, ast.ImportFrom)
SCOPES = (*FUNCTIONS, ast.ClassDef)
NAMED = (ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.NamedExpr)
LOOPS = (
    ast.For,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
)


def inside(node, *types):
    """The nodes of these types in a part of a tree, and the part itself."""
    return [part for part in ast.walk(node) if isinstance(part, types)]


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def _is_bound(node):
    """A parameter, a definition, and what is given a value."""
    return isinstance(node, NAMED) or isinstance(getattr(node, "ctx", None), ast.Store)


def _name_bound(node):
    """Empty for what is no simple name."""
    return getattr(node, "id", getattr(node, "arg", getattr(node, "name", "")))


def _binding(statement, alias):
    """The name that an import binds, and what it means: "nr" and "numpy.random"."""
    if isinstance(statement, ast.ImportFrom):
        return alias.asname or alias.name, f"{statement.module or ''}.{alias.name}"
    package = alias.name.split(".")[0]
    return (alias.asname, alias.name) if alias.asname else (package, package)


def bindings(statement):
    """Of an import; none of another statement."""
    aliases = statement.names if isinstance(statement, IMPORTS) else []
    return [_binding(statement, alias) for alias in aliases]


class PythonCode(PythonText):
    """`calls`: by the node of their function. `bound`: what is given to a name, by its scope and
    itself; `bound_to`: in any scope. `imports`: "numpy.random" by "nr". `names`: all that the file binds."""

    def __init__(self, path):
        super().__init__(path)
        self.tree = ast.parse(self.code)
        self.parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }
        self.calls = {call.func: call for call in self.of(ast.Call)}
        self.bound = collections.defaultdict(list)
        self.bound_to = collections.defaultdict(list)
        for node in filter(_is_bound, self.parents):
            name = _name_bound(node)
            self.bound[next(self.around(node, SCOPES), self.tree), name].append(node)
            self.bound_to[name].append(node)
        aliases = self.of(ast.alias)
        self.imports = dict(_binding(self.parents[alias], alias) for alias in aliases)
        self.names = self.bound_to.keys() | self.imports.keys()

    # The tree

    def of(self, *types):
        """The nodes of these types, from the outside in."""
        return [node for node in self.parents if isinstance(node, types)]

    def around(self, node, types):
        """The nodes of these types that it stands in, from the inside out."""
        while node := self.parents.get(node):
            if isinstance(node, types):
                yield node

    def is_in(self, node, types):
        return any(self.around(node, types))

    def is_in_text(self, node):
        """In an f-string, where places are known from Python 3.12 on alone."""
        return self.is_in(node, ast.JoinedStr)

    # Names

    def scope(self, node):
        """The function that has a name for its own, else the module."""
        name = getattr(node, "id", None)
        functions = self.around(node, FUNCTIONS)
        return next((own for own in functions if (own, name) in self.bound), self.tree)

    def givers(self, name):
        """The statements that give a value to a name that is read."""
        targets = self.bound.get((self.scope(name), name.id), ())
        return [self.parents[target] for target in targets]

    def full(self, node):
        """As imports tell it: "numpy.random.seed"; of a method of an expression ".iterdir"."""
        if isinstance(node, ast.Attribute):
            return f"{self.full(node.value)}.{node.attr}"
        name = getattr(node, "id", "")
        if name in self.imports and self._has_other_value(node):
            return f".{name}"
        return self.imports.get(name, name)

    def _has_other_value(self, node):
        """True where the module itself gave something else above to a name of an import."""
        values = map(self._value_given, self.bound.get((self.tree, node.id), ()))
        above = [value for value in values if value.end_lineno < node.lineno]
        return not all(isinstance(value, ast.Constant) for value in above)

    def _value_given(self, target):
        return getattr(self.parents[target], "value", None) or target

    # Calls

    def calls_at(self, line):
        """The calls that Python reports by that line."""
        calls = self.calls.values()
        return [call for call in calls if call.lineno <= line <= call.func.end_lineno]

    def callee(self, call):
        return self.full(call.func)

    def calls_of(self, full):
        return [call for call in self.calls.values() if self.callee(call) == full]
