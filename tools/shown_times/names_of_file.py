"""The names of a file, and what is given to them."""

import ast

from attributes import Attributes
from calls import ENDINGS_OF_LOGGING
from meters import Meters
from scopes import Scopes
from values import COUNT, NUMBERS, PLAIN, UNKNOWN, Value, are_alike, is_of_clock, together


class Names:
    """What each name of a tree holds. Names are looked at without an order."""

    def __init__(self, tree, is_script, is_alone=True, is_trusted=False):
        """`is_script`: what it binds is nobody else's. `is_alone`: no other file of the user's is
        handed its objects. `is_trusted`: nothing is done behind the file's back, which is enough to
        tell what it prints."""
        self.tree = tree
        self.is_script = is_script
        self.scopes = Scopes(tree)
        self.is_alone = is_alone
        self.is_trusted = is_trusted
        self.attributes = Attributes(self)
        self.meters = Meters(self)
        self.held = {}  # a value by scope and name, parameters and "return" among them
        self.spoiled = set()
        self.sources = {}  # the calls of clocks, by node
        self.functions = self._own_functions()
        self.missing = UNKNOWN  # of a name that nothing gave a value to
        self.handles_records = any(map(self.is_of_logging, self.scopes.parents))

    @staticmethod
    def is_of_logging(node):
        """A class that is handed the records of a log."""
        bases = [
            getattr(base, "attr", getattr(base, "id", "")) for base in getattr(node, "bases", ())
        ]
        return any(base.endswith(ENDINGS_OF_LOGGING) for base in bases)

    def _own_functions(self):
        """Functions of the file that are called by their names, and nothing else."""
        functions = {node.name: node for node in self.tree.body if self._is_plain_function(node)}
        for node in self.scopes.parents:
            for name in self._names_of(node) & functions.keys():
                if functions[name] is not node:
                    del functions[name]
        return functions

    def _names_of(self, node):
        """What the node binds, or reads without calling it."""
        if isinstance(node, ast.Name):
            return set() if self.is_called(node) else {node.id}
        if isinstance(node, ast.alias):
            return {node.asname or node.name.split(".")[0]}
        names = {getattr(node, "name", None), getattr(node, "rest", None)}
        return {name for name in names if isinstance(name, str)}

    def _is_plain_function(self, node):
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            return False
        return not (node.args.vararg or node.args.kwarg or self._yields(node))

    @staticmethod
    def _yields(function):
        return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))

    def is_called(self, node):
        parent = self.scopes.parents[node]
        return isinstance(parent, ast.Call) and parent.func is node

    def meaning(self, node):
        """ "time.perf_counter" of an expression that names something imported, or a builtin."""
        if isinstance(node, ast.Attribute):
            outer = self.meaning(node.value)
            return f"{outer}.{node.attr}" if outer else ""
        if not isinstance(node, ast.Name):
            return ""
        scope = self.scopes.scope_with(node, node.id)
        if scope is None:
            return node.id
        return self.scopes.imported(scope, node.id)

    def own_function(self, node):
        if not isinstance(node, ast.Name) or node.id not in self.functions:
            return None
        is_of_file = self.scopes.scope_with(node, node.id) is self.tree
        return self.functions[node.id] if is_of_file else None

    def spoil(self, *values):
        self.spoiled.update(*(value.sources for value in values))
        return PLAIN

    def joined(self, values):
        """What a name has that is given all of these."""
        values = [value for value in values if value.kind != "unknown"]
        if not values:
            return self.missing
        if are_alike(values):
            return self._joined_alike(values)
        of_clock = [value for value in values if is_of_clock(value)]
        if not of_clock:
            return COUNT if {value.kind for value in values} <= NUMBERS else PLAIN
        others = {value.kind for value in values if not is_of_clock(value)}
        if are_alike(of_clock) and (others <= {"constant"} or of_clock[0].kind == "text"):
            return self._joined_alike(of_clock)
        self.spoil(*of_clock)
        return Value("plain", together(of_clock))

    def _joined_alike(self, values):
        """A plain one may have the readings that were spoiled as it was given them."""
        parts = tuple(self.joined(parts) for parts in zip(*(value.parts for value in values)))
        return Value(values[0].kind, together(values), parts)

    def give(self, key, value):
        held = self.joined([self.held.get(key, UNKNOWN), value])
        if held.kind == "plain" and held.sources:
            self.spoiled.update(held.sources)
        self.held[key] = held

    def meter_of(self, node):
        """The key of the object that a name names; None for another expression."""
        if not isinstance(node, ast.Name):
            return None
        key = self.scopes.scope_with(node, node.id), node.id
        return ("meter", *key) if key in self.meters.keys else None

    def is_followed_attribute(self, node):
        """Of what the script prints, its own object alone is known by `self`."""
        is_followed = isinstance(node, ast.Attribute) and node.attr in self.attributes.followed
        return is_followed and (not self.is_trusted or self.attributes.is_own_object(node.value))

    def bind(self, target, value):
        if isinstance(target, ast.Name):
            scope = self.scopes.scope_with(target, target.id)
            is_for_others = scope is self.tree and not self.is_script
            if isinstance(scope, ast.ClassDef) or is_for_others:
                self.spoil(value)
            self.give((scope, target.id), value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.bind_each(target.elts, value)
        elif self.is_followed_attribute(target):
            self.spoil(self.value(target.value))
            self.give(("attribute", target.attr), value)
        else:
            self.spoil(value)
            self.children(target)

    def bind_each(self, targets, value):
        parts = value.parts
        if value.kind != "group" or len(parts) != len(targets):
            self.spoil(value)
            parts = [UNKNOWN if value.kind == "unknown" else PLAIN] * len(targets)
        for target, part in zip(targets, parts):
            self.bind(target, part)
