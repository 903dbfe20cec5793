"""Which attributes of a script's own classes hold what the script alone reads.

`self.begun = time.time()` is followed like a name: by the attribute's name, whichever object has
it. So it must have that name in one way only, and no object may be read as a whole: by its texts
(`getattr`, a format that is no constant), as a dict (`vars`), or as it is saved. Taken for granted:
no library reads the attributes of objects that it is handed, but by these ways.
"""

import ast
import re

from calls import HIDING_MODULES_OF_OBJECTS, OBJECT_READERS, PLAIN_BASES
from nodes import DEFINITIONS
from saving import Saving

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
FORMATS = {"format", "format_map", "render"}


class Attributes:
    """`followed`: names of attributes; `lists`: those of them that `= []` alone binds."""

    def __init__(self, names):
        self.names = names
        self.scopes = names.scopes
        self.nodes = list(names.scopes.parents)
        self.followed, self.lists = set(), set()
        self.classes = self._plain_classes()
        if names.is_trusted or self._is_private():
            self._collect()

    def _is_private(self):
        if not (self.names.is_script and self.names.is_alone):
            return False
        return not any(map(self._reads_objects, self.nodes)) and not Saving(self.names).is_there

    # ---- What reads objects as a whole

    def _reads_objects(self, node):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imported = {alias.name.split(".")[0] for alias in node.names}
            imported.add((getattr(node, "module", None) or "").split(".")[0])
            return bool(imported & (HIDING_MODULES_OF_OBJECTS | OBJECT_READERS))
        if self.names.meaning(node) == "sys.path" or self._formats_unseen(node):
            return True
        name = getattr(node, "attr", getattr(node, "id", getattr(node, "name", "")))
        return name in OBJECT_READERS

    @staticmethod
    def _formats_unseen(node):
        """A call of `format` on what is no text of the file."""
        function = getattr(node, "func", None)
        is_format = isinstance(function, ast.Attribute) and function.attr in FORMATS
        return is_format and not isinstance(function.value, ast.Constant)

    # ---- Classes

    def _plain_classes(self):
        """By name. None has a child, in the file, of which a library's code may read attributes."""
        classes = [node for node in self.nodes if isinstance(node, ast.ClassDef)]
        plain = {node.name: node for node in classes}
        for node in classes:
            if plain.get(node.name) is not node:
                plain[node.name] = None  # two of one name
        is_settled = False
        while not is_settled:
            odd = [node for node in classes if not self._is_plain(node, plain)]
            names = {node.name for node in odd} | {base for n in odd for base in self._bases(n)}
            left = {name: node for name, node in plain.items() if node and name not in names}
            is_settled, plain = len(left) == len(plain), left
        return plain

    @staticmethod
    def _bases(node):
        return [getattr(base, "attr", getattr(base, "id", "")) for base in node.bases]

    def _is_plain(self, node, plain):
        is_known = all(self._is_plain_base(base, plain) for base in node.bases)
        return is_known and not node.keywords and not node.decorator_list and node.name in plain

    def _is_plain_base(self, base, plain):
        if isinstance(base, ast.Name) and base.id in plain:
            return True
        name = self.names.meaning(base).split(".")[-1]
        return name in PLAIN_BASES or "Callback" in name

    def is_own_object(self, node):
        """`self` in a method of such a class."""
        if not isinstance(node, ast.Name):
            return False
        method = self.scopes.scope_with(node, node.id)
        if not isinstance(method, FUNCTIONS) or not method.args.args:
            return False
        owner = self.scopes.parents[method]
        decorators = {getattr(word, "id", "") for word in method.decorator_list}
        is_method = isinstance(owner, ast.ClassDef) and self.classes.get(owner.name) is owner
        is_bound = not decorators & {"staticmethod", "classmethod"}
        return is_method and is_bound and method.args.args[0].arg == node.id

    # ---- Names

    def _collect(self):
        stored, others = {}, set()
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                is_own = isinstance(node.ctx, ast.Store) and self.is_own_object(node.value)
                (stored.setdefault(node.attr, []).append(node) if is_own else others.add(node.attr))
            others |= self._other_names(node)
        texts = list(self._texts())
        self.followed = {
            name
            for name in stored
            if name not in others and name[:2] != "__" and not self._is_in_a_text(name, texts)
        }
        self.lists = {
            name
            for name in self.followed
            if all(self.scopes.is_given_new_list(node) for node in stored[name])
        }

    def _other_names(self, node):
        """Other ways in which a node gives an attribute its name."""
        if isinstance(node, DEFINITIONS):
            return {node.name}
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            is_of_class = isinstance(self.scopes.scope_of(node), ast.ClassDef)
            return {node.id} if is_of_class else set()
        return set(getattr(node, "kwd_attrs", ()))  # of a pattern: `case Timer(begun=x)`

    @staticmethod
    def _is_in_a_text(name, texts):
        """As a whole one, in `"{0.begun}".format(timer)`, or in a page's `{{ begun }}`."""
        place = re.compile(rf"\.{name}\b|\{{\{{\s*{name}\b")
        return any(text == name or place.search(text) for text in texts)

    def _texts(self):
        """All but those that stand alone, as documentation does."""
        for node in self.nodes:
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and not isinstance(self.scopes.parents[node], ast.Expr):
                yield node.value
