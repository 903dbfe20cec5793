"""Formatters of logging that hand on each message as it is: around it stand the record's names."""

import ast

from nodes import FUNCTIONS, inside_all, is_bare, last_name, only

# What a record has besides its message, its times and its arguments.
NAMES_OF_RECORDS = {
    "filename",
    "funcName",
    "levelname",
    "levelno",
    "lineno",
    "module",
    "name",
    "processName",
    "threadName",
}
MESSAGES = {"format", "formatTime", "getMessage"}
# They leave a text as it is, or put it into one.
METHODS_OF_TEXTS = {"dumps", "get", "join", "ljust", "lower", "rjust", "strip", "upper"}
KNOWN = (
    ast.arguments,
    ast.Assign,
    ast.BinOp,
    ast.Constant,
    ast.Dict,
    ast.Expr,
    ast.expr_context,
    ast.FormattedValue,
    ast.JoinedStr,
    ast.keyword,
    ast.List,
    ast.Name,
    ast.operator,
    ast.Return,
    ast.Subscript,
    ast.Tuple,
    ast.arg,
)


def is_plain_formatter(node, meaning):
    """`meaning`: of an expression, by the file's imports."""
    is_formatter = list(map(meaning, node.bases)) == ["logging.Formatter"]
    return is_formatter and is_bare(node) and all(map(_is_plain_member, node.body))


def writes_json(node):
    """True for a formatter that puts the message into a document, in quotes."""
    return "dumps" in map(last_name, ast.walk(node))


def _is_plain_member(member):
    return MEMBERS.get(type(member), _is_odd_member)(member)


def _is_odd_member(member):
    return False


def _is_plain_statement(member):
    return all(map(_is_plain, ast.walk(member)))


def _is_plain_method(method):
    """`def format(self, record)`, which hands the record on nowhere."""
    names = [argument.arg for argument in method.args.args]
    is_format = (method.name, method.decorator_list, names) == ("format", [], ["self", "record"])
    nodes = inside_all(method.body)
    records = set(filter(_is_record, nodes))
    return is_format and records <= _known_places(nodes) and all(map(_is_plain, nodes))


def _known_places(nodes):
    """Where a method of logging gets the record, and where one of its own names is asked."""
    asked = {node.value for node in only(nodes, ast.Attribute)}
    calls = filter(_asks_for_message, only(nodes, ast.Call))
    return asked.union(*(call.args[:1] for call in calls))


def _asks_for_message(call):
    return last_name(call.func) in MESSAGES


def _is_record(node):
    return getattr(node, "id", "") == "record"


def _is_plain(node):
    rule = RULES.get(type(node))
    return rule(node) if rule else isinstance(node, KNOWN)


def _is_plain_call(call):
    """`super()`, and methods that are known: of a name that is called nobody knows what it does."""
    method = last_name(call.func)
    if method == "super":
        return not call.args
    if method == "format":  # of a text it would reach more of the record
        return isinstance(call.func.value, ast.Call) and _is_plain_call(call.func.value)
    return method in MESSAGES | METHODS_OF_TEXTS


def _is_plain_attribute(node):
    """Of a record its names alone are asked; of what else there is, constants of the class."""
    return not _is_record(node.value) or node.attr in NAMES_OF_RECORDS | MESSAGES


def _is_plain_subscript(node):
    """A part of a message is not the message."""
    return not isinstance(node.value, ast.Call)


MEMBERS = {
    **dict.fromkeys(FUNCTIONS, _is_plain_method),
    ast.Assign: _is_plain_statement,
    ast.Expr: _is_plain_statement,
}
RULES = {
    ast.Call: _is_plain_call,
    ast.Attribute: _is_plain_attribute,
    ast.Subscript: _is_plain_subscript,
}
