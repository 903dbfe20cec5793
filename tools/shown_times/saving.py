"""Whether a file saves what may be an object with all its attributes.

A call by a name that speaks of saving does, unless it is a function of the file's own, or what it
saves is seen to hold none: `torch.save({"epoch": epoch, "model": model.state_dict()}, path)`.
"""

import ast

from calls import NUMBERS_OF_OBJECTS, PLAIN_SAVES, SAVING_WORDS
from nodes import DEFINITIONS, is_method_call, is_stored, last_name, names_of, words_of

SAVED_STATES = {"item", "state_dict"}
OWN_WRITERS = {"cls", "default", None}  # words of json.dump()


class Saving:
    """`is_there`: whether it does."""

    def __init__(self, names):
        self.names = names
        self.scopes = names.scopes
        self.own = names_of(self.scopes.of(*DEFINITIONS))
        renamed = any(map(self._renames_saver, self.scopes.of(ast.alias)))
        self.is_there = renamed or any(map(self._saves, self.scopes.of(ast.Name, ast.Attribute)))

    def _renames_saver(self, alias):
        """`from joblib import dump as keep`."""
        return bool(alias.asname) and self._speaks_of_saving(alias.name.split(".")[-1])

    def _saves(self, node):
        name = last_name(node)
        is_saver = self._speaks_of_saving(name) and not is_stored(node)
        return is_saver and not (self._is_in_plain_call(node) or self._is_own(node, name))

    def _is_in_plain_call(self, node):
        call = self.scopes.call_of(node)
        is_plain = self.PLAIN_CALLS.get(self.names.meaning(node), Saving._is_no_plain_call)
        return call is not None and is_plain(self, call)

    @staticmethod
    def _speaks_of_saving(name):
        words = () if name in PLAIN_SAVES else SAVING_WORDS
        return any(word in name.lower() for word in words)

    def _is_own(self, node, name):
        """A method of the script's own objects, a function of its own, or no function at all."""
        is_simple = isinstance(getattr(node, "value", node), ast.Name)
        is_of_kind = is_simple if name in self.own else isinstance(node, ast.Name)
        return is_of_kind and not self.names.meaning(node)

    def _is_no_plain_call(self, call):
        return False

    def _writes_plain_json(self, call):
        return words_of(call).isdisjoint(OWN_WRITERS)

    def _saves_plain_tensors(self, call):
        return None not in words_of(call) and any(map(self._is_plain, call.args[:1]))

    PLAIN_CALLS = {
        "json.dump": _writes_plain_json,
        "json.dumps": _writes_plain_json,
        "torch.save": _saves_plain_tensors,
    }

    def _is_plain(self, node):
        """True for what holds numbers and states of models alone."""
        return self.PLAIN.get(type(node), Saving._is_constant)(self, node)

    def _is_constant(self, node):
        return isinstance(node, ast.Constant)

    def _is_plain_dict(self, node):
        return None not in node.keys and all(map(self._is_plain, node.values))

    def _is_plain_name(self, node):
        return self._is_number(node.id) or self._is_given_once(node)

    def _is_state(self, node):
        return is_method_call(node) and node.func.attr in SAVED_STATES and not node.args

    PLAIN = {
        ast.Call: _is_state,
        ast.Dict: _is_plain_dict,
        ast.Name: _is_plain_name,
    }

    def _stores(self, name):
        """The nodes that give it a value; a parameter has any."""
        parameters = [node for node in self.scopes.of(ast.arg) if node.arg == name]
        stores = filter(is_stored, self._uses(name))
        return [*parameters, *map(self.scopes.parents.__getitem__, stores)]

    def _uses(self, name):
        return [node for node in self.scopes.of(ast.Name) if node.id == name]

    def _is_number(self, name):
        stores = self._stores(name)
        return bool(stores) and all(map(self._gives_number, stores))

    def _gives_number(self, statement):
        value = getattr(statement, "value", getattr(statement, "iter", None))
        if isinstance(value, ast.Call):
            name = last_name(value.func)
            if name in ("max", "min"):  # of several: of one list they may be an object
                return len(value.args) > 1 and not value.keywords
            return name in NUMBERS_OF_OBJECTS
        return isinstance(value, (ast.Constant, ast.BinOp, ast.Compare))

    def _is_given_once(self, name):
        """`checkpoint = {...}; torch.save(checkpoint, path)`, and no other use."""
        stores = self._stores(name.id)
        is_once = len(stores) == 1 and len(self._uses(name.id)) == 2
        return is_once and isinstance(stores[0], ast.Assign) and self._is_plain(stores[0].value)
