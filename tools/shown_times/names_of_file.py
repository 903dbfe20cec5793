"""The names of a file, and what is given to them.

A name has all that is given to it anywhere, in whatever order; what two statements give it that are
not of one kind spoils the readings in both. What others may read is spoiled too: the names that a
module binds, or a class. Attributes are names where attributes.py finds that nobody else reads them.
"""

import ast
from collections import Counter
from itertools import chain

from attributes import Attributes
from calls import ENDINGS_OF_LOGGING
from meters import Meters
from nodes import has_yield, last_name, name_of_alias, names_as_texts
from scopes import Scopes
from values import (
    PLAIN,
    UNKNOWN,
    Value,
    are_alike,
    is_known,
    kinds_of,
    of_clock,
    plain_of,
    together,
    without_clock,
)


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
        self.functions = self._own_functions() if is_script else {}
        self.missing = UNKNOWN  # of a name that nothing gave a value to
        self.handles_records = any(map(self.is_of_logging, self.scopes.of(ast.ClassDef)))

    @staticmethod
    def is_of_logging(node):
        """A class that is handed the records of a log."""
        return any(last_name(base).endswith(ENDINGS_OF_LOGGING) for base in node.bases)

    def _own_functions(self):
        """Functions of a script that are called by their names, and nothing else."""
        plain = filter(self._is_plain_function, self.tree.body)
        count = Counter(chain(*map(self._names_of, self.scopes.parents)))
        return {node.name: node for node in plain if count[node.name] == 1}

    def _names_of(self, node):
        """What the node binds, or reads without calling it."""
        return self.NAMES.get(type(node), Names._names_as_texts)(self, node)

    def _name_read(self, node):
        return set() if self.is_called(node) else {node.id}

    def _name_imported(self, node):
        return {name_of_alias(node)}

    def _names_as_texts(self, node):
        return names_as_texts(node)

    NAMES = {ast.Name: _name_read, ast.alias: _name_imported}

    @staticmethod
    def _is_plain_function(node):
        if not isinstance(node, ast.FunctionDef):
            return False
        more = (node.args.vararg, node.args.kwarg, *node.decorator_list)
        return not any(more) and not has_yield(node)

    def is_called(self, node):
        return self.scopes.call_of(node) is not None

    def meaning(self, node):
        """ "time.perf_counter" of an expression that names something imported, or a builtin."""
        return self.MEANINGS.get(type(node), Names._no_meaning)(self, node)

    def _no_meaning(self, node):
        return ""

    def _meaning_of_name(self, node):
        scope = self.scopes.scope_with(node, node.id)
        return node.id if scope is None else self.scopes.imported(scope, node.id)

    def _meaning_of_attribute(self, node):
        outer = self.meaning(node.value)
        return f"{outer}.{node.attr}" if outer else ""

    MEANINGS = {ast.Attribute: _meaning_of_attribute, ast.Name: _meaning_of_name}

    def own_function(self, node):
        """The function of the script that the name means; None for another one."""
        is_of_file = isinstance(node, ast.Name) and self.scopes.key_of(node)[0] is self.tree
        return self.functions.get(node.id) if is_of_file else None

    def spoil(self, *values):
        self.spoiled.update(*(value.sources for value in values))
        return PLAIN

    def joined(self, values):
        """What a name has that is given all of these."""
        values = list(filter(is_known, values))
        if not values:
            return self.missing
        if are_alike(values):
            return self._joined_alike(values)
        times = of_clock(values)
        if not times:
            return plain_of(values)
        if are_alike(times) and self._may_be_with(times[0].kind, without_clock(values)):
            return self._joined_alike(times)
        self.spoil(*times)
        return Value("plain", together(times))

    @staticmethod
    def _may_be_with(kind, others):
        """`begun = None` first, and a time later; a text may be any of several."""
        return kind == "text" or kinds_of(others) <= {"constant"}

    def _joined_alike(self, values):
        """A plain one may have the readings that were spoiled as it was given them."""
        parts = tuple(self.joined(parts) for parts in zip(*(value.parts for value in values)))
        return Value(values[0].kind, together(values), parts)

    def give(self, key, value):
        held = self.joined([self.held.get(key, UNKNOWN), value])
        if held.kind == "plain":
            self.spoil(held)
        self.held[key] = held

    def meter_of(self, node):
        """The key of the object that a name names; None for another expression."""
        if not isinstance(node, ast.Name):
            return None
        key = self.scopes.key_of(node)
        return ("meter", *key) if key in self.meters.keys else None

    def is_followed_attribute(self, node):
        """Of what the script prints, objects alone that are known by `self`, or as they are made."""
        is_followed = isinstance(node, ast.Attribute) and node.attr in self.attributes.followed
        return is_followed and (not self.is_trusted or self._is_own_object(node.value))

    def _is_own_object(self, node):
        return self.attributes.is_own_object(node) or self.attributes.is_made_object(node)

    def bind(self, target, value):
        self.BINDINGS.get(type(target), Names._bind_other)(self, target, value)

    def _bind_name(self, target, value):
        """Others may read what a class binds, or a module."""
        key = self.scopes.key_of(target)
        is_for_others = key[0] is self.tree and not self.is_script
        if is_for_others or isinstance(key[0], ast.ClassDef):
            self.spoil(value)
        self.give(key, value)

    def _bind_each(self, target, value):
        targets, parts = target.elts, value.parts
        if value.kind != "group" or len(parts) != len(targets):
            parts = [self.unfollowed(value)] * len(targets)
        for part_of_target, part in zip(targets, parts):
            self.bind(part_of_target, part)

    def _bind_attribute(self, target, value):
        if not self.is_followed_attribute(target):
            return self._bind_other(target, value)
        self.spoil(self.value(target.value))
        return self.give(("attribute", target.attr), value)

    def _bind_other(self, target, value):
        self.spoil(value)
        self.children(target)

    BINDINGS = {
        ast.Name: _bind_name,
        ast.Tuple: _bind_each,
        ast.List: _bind_each,
        ast.Attribute: _bind_attribute,
    }

    def unfollowed(self, value):
        """What a part of it, or of what it gives, has that no rule speaks of."""
        self.spoil(value)
        return UNKNOWN if value.kind == "unknown" else PLAIN
