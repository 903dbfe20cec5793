"""Which calls show what they are given, and into which lists times are put."""

import ast

from calls import METHODS_WITH_NAMES, NUMBER_MODULES, SHOWING_FUNCTIONS, SHOWING_METHODS
from scopes import DEFINITIONS

STANDARD = {"sys.stdout", "sys.stderr"}
PRINTING = {"print", "rich.print"}  # they take any number of things


class Showing:
    """What a file shows times by, as far as it gives the names of methods no other meaning."""

    def __init__(self, names):
        self.names = names
        self.given = set()  # names that the file gives to functions and attributes itself
        self.lists = {}  # by scope and name: whether `name = []` alone binds it
        for node in names.scopes.parents:
            self._note(node)

    def _note(self, node):
        if isinstance(node, DEFINITIONS):
            self.given.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            self.given.add(node.attr)
        elif isinstance(node, ast.keyword):
            self._note_keyword(node)
        elif isinstance(node, ast.arg):
            self.lists[self.names.scopes.scope_of_argument(node), node.arg] = False
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            key = self.names.scopes.scope_with(node, node.id), node.id
            self.lists[key] = self.lists.get(key, True) and self.names.scopes.is_given_new_list(
                node
            )

    def _note_keyword(self, node):
        if not isinstance(node.value, ast.Constant):
            self.given.add(node.arg)
        elif node.arg == "monitor" or (node.arg == "filename" and "{" in str(node.value.value)):
            self.given.update(("log", "log_dict"))  # a metric that is logged is read back

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
        return not is_of_numbers and not leads_elsewhere and call.func.attr not in self.given

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
        name = getattr(call.func, "attr", "")
        return call.args[:1] if name in METHODS_WITH_NAMES else []
