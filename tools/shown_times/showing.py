"""Which calls show what they are given, and into which lists times are put."""

import ast

from calls import (
    METHODS_OF_LOGGERS,
    METHODS_WITH_NAMES,
    NUMBER_MODULES,
    READING_BACK,
    SHOWING_FUNCTIONS,
    SHOWING_LIBRARIES,
    SHOWING_METHODS,
    SHOWN_WORDS,
    STANDARD,
    WRITERS,
)
from nodes import DEFINITIONS

PRINTING = {"print", "rich.print"}  # they take any number of things


class Showing:
    """What a file shows times by, as far as it gives the names of methods no other meaning."""

    def __init__(self, names):
        self.names = names
        self.given = set()  # names that the file gives to functions and attributes itself
        self.is_read_back = False  # what was handed to a writer of metrics, or to a bar
        self.lists = {}  # by scope and name: whether `name = []` alone binds it
        self.writers = {}  # by scope and name: whether it alone holds what shows
        for node in names.scopes.parents:
            self._note(node)

    def _note(self, node):
        if isinstance(node, DEFINITIONS):
            self.given.add(node.name)
        elif isinstance(node, ast.keyword):
            self._note_keyword(node)
        elif isinstance(node, ast.Constant):
            self._note_text(node.value)
        elif isinstance(node, ast.arg):
            self.lists[self.names.scopes.scope_of_argument(node), node.arg] = False
        if isinstance(node, (ast.Name, ast.Attribute)):
            self._note_name(node)

    def _note_keyword(self, node):
        if not isinstance(node.value, ast.Constant):
            self.given.add(node.arg)
        if node.arg == "monitor" or (node.arg == "filename" and "{" in ast.dump(node.value)):
            self.given.update(("log", "log_dict"))  # a metric that is logged is read back

    def _note_text(self, text):
        """A method's name by its text, and what says that a metric is read back."""
        if not isinstance(text, str):
            return
        if text in SHOWING_METHODS:
            self.given.add(text)
        if text == "monitor" or "metrics.csv" in text:
            self.given.update(("log", "log_dict"))

    def _note_name(self, node):
        name = getattr(node, "attr", getattr(node, "id", ""))
        self.is_read_back |= name in READING_BACK
        if isinstance(node.ctx, ast.Load):
            return
        if isinstance(node, ast.Attribute):
            return self.given.add(name)
        if isinstance(self.names.scopes.scope_of(node), ast.ClassDef):
            self.given.add(name)
        key = self.names.scopes.scope_with(node, node.id), node.id
        self.lists[key] = self.lists.get(key, True) and self.names.scopes.is_given_new_list(node)
        self.writers[key] = self.writers.get(key, True) and self._is_given_writer(node)

    def _is_given_writer(self, node):
        """`writer = SummaryWriter(...)`, `with tqdm(...) as bar`."""
        around = self.names.scopes.parents[node]
        maker = getattr(around, "context_expr", getattr(around, "value", None))
        return isinstance(maker, ast.Call) and self.names.meaning(maker.func) in WRITERS

    def is_own_list(self, node):
        """A name of a list that no other name has."""
        if isinstance(node, ast.Attribute):
            return node.attr in self.names.attributes.lists
        if not isinstance(node, ast.Name):
            return False
        return self.lists.get((self.names.scopes.scope_with(node, node.id), node.id), False)

    def shows(self, call):
        """Of a call whose value is thrown away."""
        name = self.names.meaning(call.func)
        if name in SHOWING_FUNCTIONS:
            return self._is_shown_there(name, call)
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in SHOWING_METHODS:
            return False
        is_of_numbers = name.split(".")[0] in NUMBER_MODULES
        leads_elsewhere = any(word.arg in ("out", None) for word in call.keywords)
        leads_elsewhere |= call.func.attr == "log_dict" and len(call.args) > 1  # MLflow's file
        return not is_of_numbers and not leads_elsewhere and self._is_one(call)

    def _is_one(self, call):
        """True if the method is no own one of the file's, nor of a module of the user's."""
        if self.is_read_back and call.func.attr not in METHODS_OF_LOGGERS:
            return False
        if self.names.meaning(call.func).split(".")[0] in SHOWING_LIBRARIES:
            return True
        if call.func.attr in self.given or "__getattr__" in self.given:
            return False
        if self.names.is_alone:
            return True
        writer = call.func.value
        if not isinstance(writer, ast.Name):
            return False
        return self.writers.get((self.names.scopes.scope_with(writer, writer.id), writer.id), False)

    def _is_shown_there(self, name, call):
        """`file=` may lead to a file that is a result."""
        if name not in PRINTING and len(call.args) != 1:
            return False
        for word in call.keywords:
            is_file = word.arg in ("file", None)
            if is_file and self.names.meaning(word.value) not in STANDARD:
                return False
        return True

    @staticmethod
    def names_of(call):
        """The arguments that name what is shown: a metric, which may be a folder's name too, or a
        logger's level."""
        if getattr(call.func, "attr", "") not in METHODS_WITH_NAMES:
            return []
        named = [word.value for word in call.keywords if word.arg not in SHOWN_WORDS]
        is_dict = bool(call.args) and isinstance(call.args[0], ast.Dict)  # wandb.log({...})
        return named if is_dict else call.args[:1] + named
