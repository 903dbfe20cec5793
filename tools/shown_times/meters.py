"""Names of objects that only compute with what they are handed: `batch_time = AverageMeter()`.

All that such an object gives is made of what its methods were called with. So it stands for one
value: a duration, if durations alone were handed to it. Its class is one of the file, and uses
nothing but its own attributes, its arguments and functions of numbers.
"""

import ast
from itertools import filterfalse

from calls import FUNCTIONS_OF_NUMBERS, TEXT_METHODS
from nodes import inside, is_bare, is_stored, names_of, only, parameters, simple_names

PURE_FUNCTIONS = {*FUNCTIONS_OF_NUMBERS, "len", "list", "str", "sum", "super"}
PURE_METHODS = {*TEXT_METHODS, "__init__", "append", "clear", "pop"}
PURE_STATEMENTS = (
    *(ast.AnnAssign, ast.Assign, ast.AugAssign),
    *(ast.Expr, ast.FunctionDef, ast.If, ast.Pass, ast.Return),
)
IMPURE_EXPRESSIONS = (ast.Await, ast.Lambda, ast.Yield, ast.YieldFrom)


class Meters:
    """`keys`: scopes and names of such objects."""

    def __init__(self, names):
        self.names = names
        self.scopes = names.scopes
        pure = self._pure_classes()
        given = self._given()
        self.keys = {key for key in filter(self._is_inner, given) if given[key] <= pure}

    def _pure_classes(self):
        """None is another class's, or has a method given to it."""
        classes = self.scopes.of(ast.ClassDef)
        odd = filterfalse(_is_pure, classes)
        used = filterfalse(self.names.is_called, self.scopes.of(ast.Name))
        return names_of(classes) - names_of(odd) - simple_names(used)

    def _given(self):
        """By scope and name: the classes that make what the name is given, None for anything else."""
        makers = self.scopes.makers()
        return {key: set(map(self._class_given, calls)) for key, calls in makers.items()}

    def _is_inner(self, key):
        """No other file may have the object."""
        return self.names.is_script or key[0] is not self.names.tree

    def _class_given(self, call):
        """Of `name = Class(...)`."""
        is_assigned = isinstance(self.scopes.parents.get(call), ast.Assign)
        return getattr(call.func, "id", None) if is_assigned else None


def _is_pure(node):
    methods = PURE_METHODS | names_of(only(node.body, ast.FunctionDef))
    is_plain = simple_names(node.bases) <= {"object"} and is_bare(node)
    return is_plain and all(_is_pure_member(member, methods) for member in node.body)


def _is_pure_member(member, methods):
    return MEMBERS.get(type(member), _is_impure)(member, methods)


def _is_impure(*_):
    return False


def _is_text(member, methods):
    return isinstance(member.value, ast.Constant)


def _is_pure_method(method, methods):
    """`own`: the names of its parameters, and those that it binds."""
    bound = filter(is_stored, inside(method, ast.Name))
    own = simple_names(bound).union(parameter.arg for parameter in parameters(method))
    is_plain = bool(method.args.args) and simple_names(method.decorator_list) <= {"property"}
    return is_plain and all(_is_pure_node(node, own, methods) for node in ast.walk(method))


MEMBERS = {ast.Expr: _is_text, ast.FunctionDef: _is_pure_method}


def _is_pure_node(node, own, methods):
    """`own`: names of a method's; `methods`: of the class."""
    return RULES.get(type(node), _is_pure_other)(node, own, methods)


def _is_pure_other(node, own, methods):
    if isinstance(node, ast.stmt):
        return isinstance(node, PURE_STATEMENTS)
    return not isinstance(node, IMPURE_EXPRESSIONS)


def _is_pure_call(node, own, methods):
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in methods
    return getattr(node.func, "id", "") in PURE_FUNCTIONS


def _is_pure_name(node, own, methods):
    return node.id in own or node.id in PURE_FUNCTIONS


def _is_pure_attribute(node, own, methods):
    """`self.sum`, or a method of what it holds."""
    return node.attr in methods or getattr(node.value, "id", None) in own


RULES = {
    ast.Call: _is_pure_call,
    ast.Name: _is_pure_name,
    ast.Attribute: _is_pure_attribute,
}
