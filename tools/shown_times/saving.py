"""Whether a file saves what may be an object with all its attributes.

A call by a name that speaks of saving does, unless it is a function of the file's own, or what it
saves is seen to hold none: `torch.save({"epoch": epoch, "model": model.state_dict()}, path)`.
"""

import ast

from calls import NUMBERS_OF_OBJECTS, PLAIN_SAVES, SAVING_WORDS
from nodes import DEFINITIONS


class Saving:
    """`is_there`: whether it does."""

    def __init__(self, names):
        self.names = names
        self.nodes = list(names.scopes.parents)
        self.own = {node.name for node in self.nodes if isinstance(node, DEFINITIONS)}
        self.is_there = any(map(self._saves, self.nodes))

    def _saves(self, node):
        if isinstance(node, ast.alias):  # `from joblib import dump as keep`
            return bool(node.asname) and self._speaks_of_saving(node.name.split(".")[-1])
        if not isinstance(node, (ast.Name, ast.Attribute)) or isinstance(node.ctx, ast.Store):
            return False
        name = getattr(node, "attr", getattr(node, "id", ""))
        if not self._speaks_of_saving(name) or self._is_own(node, name):
            return False
        call = self.names.scopes.parents[node]
        is_called = isinstance(call, ast.Call) and call.func is node
        return not is_called or not self._is_plain_call(self.names.meaning(node), call)

    @staticmethod
    def _speaks_of_saving(name):
        is_plain = name in PLAIN_SAVES
        return not is_plain and any(word in name.lower() for word in SAVING_WORDS)

    def _is_own(self, node, name):
        """A method of the script's own objects, a function of its own, or no function at all."""
        if name in self.own:
            is_simple = isinstance(getattr(node, "value", node), ast.Name)
            return is_simple and not self.names.meaning(node)
        return isinstance(node, ast.Name) and not self.names.meaning(node)

    def _is_plain_call(self, meaning, call):
        words = {word.arg for word in call.keywords}
        if meaning in ("json.dump", "json.dumps"):
            return not words & {"default", "cls", None}
        is_torchs = meaning == "torch.save" and bool(call.args) and None not in words
        return is_torchs and self._is_plain(call.args[0])

    def _is_plain(self, node):
        """True for what holds numbers and states of models alone."""
        if isinstance(node, ast.Dict):
            return None not in node.keys and all(map(self._is_plain, node.values))
        if isinstance(node, ast.Name):
            return self._is_number(node.id) or self._is_given_once(node)
        if isinstance(node, ast.Call):
            is_method = isinstance(node.func, ast.Attribute) and not node.args
            return is_method and node.func.attr in ("state_dict", "item")
        return isinstance(node, ast.Constant)

    def _stores(self, name):
        for node in self.nodes:
            if isinstance(node, ast.arg) and node.arg == name:
                yield None
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                yield self.names.scopes.parents[node]

    def _is_number(self, name):
        stores = list(self._stores(name))
        return bool(stores) and all(map(self._gives_number, stores))

    def _gives_number(self, statement):
        value = getattr(statement, "value", getattr(statement, "iter", None))
        if isinstance(value, ast.Call):
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            if name in ("max", "min"):  # of several: of one list they may be an object
                return len(value.args) > 1 and not value.keywords
            return name in NUMBERS_OF_OBJECTS
        return isinstance(value, (ast.Constant, ast.BinOp, ast.Compare))

    def _is_given_once(self, name):
        """`checkpoint = {...}; torch.save(checkpoint, path)`, and no other use."""
        stores = list(self._stores(name.id))
        uses = [n for n in self.nodes if isinstance(n, ast.Name) and n.id == name.id]
        is_once = len(stores) == 1 and len(uses) == 2 and isinstance(stores[0], ast.Assign)
        return is_once and self._is_plain(stores[0].value)
