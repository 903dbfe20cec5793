"""Names of objects that only compute with what they are handed: `batch_time = AverageMeter()`.

All that such an object gives is made of what its methods were called with. So it stands for one
value: a duration, if durations alone were handed to it. Its class is one of the file, and uses
nothing but its own attributes, its arguments and functions of numbers.
"""

import ast

from calls import FUNCTIONS_OF_NUMBERS, TEXT_METHODS

PURE_FUNCTIONS = {*FUNCTIONS_OF_NUMBERS, "len", "list", "str", "sum", "super"}
PURE_METHODS = {*TEXT_METHODS, "__init__", "append", "clear", "pop"}
PURE_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.If, ast.Pass)


class Meters:
    """`keys`: scopes and names of such objects."""

    def __init__(self, names):
        self.names = names
        self.scopes = names.scopes
        pure = self._pure_classes()
        self.keys = {
            key for key, made in self._given().items() if set(made) <= pure and self._is_inner(key)
        }

    def _pure_classes(self):
        classes = [node for node in self.scopes.parents if isinstance(node, ast.ClassDef)]
        odd = {node.name for node in classes if not self._is_pure(node)}
        used = {  # another class of it, or another method given to it
            node.id
            for node in self.scopes.parents
            if isinstance(node, ast.Name) and not self.names.is_called(node)
        }
        return {node.name for node in classes} - odd - used

    def _given(self):
        """By scope and name: the classes that make what the name is given, None for anything else."""
        given = {}
        for node in self.scopes.parents:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                key = self.scopes.scope_with(node, node.id), node.id
                given.setdefault(key, []).append(self._class_given(node))
            elif isinstance(node, ast.arg):
                given.setdefault((self.scopes.scope_of_argument(node), node.arg), []).append(None)
        return given

    def _is_inner(self, key):
        """No other file may have the object."""
        return self.names.is_script or key[0] is not self.names.tree

    def _class_given(self, name):
        """Of `name = Class(...)`."""
        statement = self.scopes.parents[name]
        is_one = isinstance(statement, ast.Assign) and len(statement.targets) == 1
        call = statement.value if is_one else None
        return getattr(call.func, "id", None) if isinstance(call, ast.Call) else None

    def _is_pure(self, node):
        bases = {getattr(base, "id", "") for base in node.bases}
        if bases - {"object"} or node.keywords or node.decorator_list:
            return False
        methods = {getattr(member, "name", "") for member in node.body} | PURE_METHODS
        return all(self._is_pure_member(member, methods) for member in node.body)

    def _is_pure_member(self, member, methods):
        if isinstance(member, ast.Expr):
            return isinstance(member.value, ast.Constant)
        if not isinstance(member, ast.FunctionDef) or not member.args.args:
            return False
        if {getattr(word, "id", "") for word in member.decorator_list} - {"property"}:
            return False
        own = {argument.arg for argument in ast.walk(member.args) if isinstance(argument, ast.arg)}
        own |= {
            node.id
            for node in ast.walk(member)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        return all(self._is_pure_node(node, own, methods) for node in ast.walk(member))

    @staticmethod
    def _is_pure_node(node, own, methods):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                return node.func.id in PURE_FUNCTIONS
            return isinstance(node.func, ast.Attribute) and node.func.attr in methods
        if isinstance(node, ast.Name):
            return node.id in own or node.id in PURE_FUNCTIONS
        if isinstance(node, ast.Attribute):  # self.sum, or a method of what it holds
            is_own = isinstance(node.value, ast.Name) and node.value.id in own
            return is_own or node.attr in methods
        if isinstance(node, ast.stmt):
            return isinstance(node, (*PURE_STATEMENTS, ast.FunctionDef))
        return not isinstance(node, (ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await))
