"""Which attributes of a script's own classes hold what the script alone reads.

`self.begun = time.time()` is followed like a name: by the attribute's name, whichever object has
it. So it must have that name in one way only, and no object may be read as a whole: by its texts
(`getattr`), as a dict (`vars`), or as it is pickled. Taken for granted: no library reads the
attributes of objects that it is handed, but by these ways.
"""

import ast

from calls import HIDING_MODULES_OF_OBJECTS, OBJECT_READERS, PLAIN_BASES, SAVING_NAMES
from scopes import DEFINITIONS

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
OWN_ACCESS = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__getstate__"}


class Attributes:
    """`followed`: names of attributes."""

    def __init__(self, names, is_alone):
        self.names = names
        self.nodes = list(names.scopes.parents)
        self.followed = set()
        self.lists = set()  # those that `= []` alone binds
        if not names.is_script or not is_alone or any(map(self._reads_objects, self.nodes)):
            return
        self.classes = self._own_classes()
        self.instances = self._names_of_instances()
        if not self._are_saved():
            self._collect()

    # ---- What reads objects as a whole

    def _reads_objects(self, node):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            modules = {alias.name.split(".")[0] for alias in node.names}
            modules.add((getattr(node, "module", None) or "").split(".")[0])
            return bool(modules & (HIDING_MODULES_OF_OBJECTS | OBJECT_READERS))
        if isinstance(node, ast.Name):
            return node.id in OBJECT_READERS
        if isinstance(node, ast.Attribute):
            return node.attr in OBJECT_READERS
        return getattr(node, "name", "") in OWN_ACCESS

    # ---- Classes and their objects

    def _own_classes(self):
        """Plain ones, by name, and those that derive from them."""
        classes = {}
        for node in ast.walk(self.names.tree):  # from the outside in, and in order
            if isinstance(node, ast.ClassDef) and self._is_plain(node, classes):
                classes[node.name] = node
        return classes

    @staticmethod
    def _is_plain(node, classes):
        bases = [getattr(base, "attr", getattr(base, "id", "")) for base in node.bases]
        is_known = all(base in PLAIN_BASES or base in classes for base in bases)
        return is_known and not node.keywords and not node.decorator_list

    def _is_own_object(self, node):
        """`self` in a method of such a class."""
        if not isinstance(node, ast.Name):
            return False
        method = self.names.scopes.scope_with(node, node.id)
        if not isinstance(method, FUNCTIONS) or not method.args.args:
            return False
        owner = self.names.scopes.parents[method]
        decorators = {getattr(word, "id", "") for word in method.decorator_list}
        is_method = self.classes.get(getattr(owner, "name", None)) is owner
        is_bound = not decorators & {"staticmethod", "classmethod"}
        return is_method and is_bound and method.args.args[0].arg == node.id

    def _names_of_instances(self):
        """Names that are given what such a class makes."""
        names = set()
        for node in self.nodes:
            value = getattr(node, "value", getattr(node, "context_expr", None))
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.withitem)):
                if value is not None and self._makes_one(value):
                    names.update(self._targets_of(node))
        return names

    def _makes_one(self, expression):
        return any(
            isinstance(part, ast.Call) and getattr(part.func, "id", None) in self.classes
            for part in ast.walk(expression)
        )

    @staticmethod
    def _targets_of(node):
        """Names, and attributes, that the node gives a value to."""
        for place in ("targets", "target", "optional_vars"):
            targets = getattr(node, place, None) or []
            for target in targets if isinstance(targets, list) else [targets]:
                for part in ast.walk(target):
                    if isinstance(getattr(part, "ctx", None), ast.Store):
                        yield getattr(part, "attr", getattr(part, "id", ""))

    def _are_saved(self):
        """True if the file saves things, and hands its objects to somebody who may save them."""
        if not any(map(self._saves, self.nodes)):
            return False
        return any(self._is_object(node) and self._is_handed_on(node) for node in self.nodes)

    @staticmethod
    def _saves(node):
        return getattr(node, "attr", getattr(node, "id", None)) in SAVING_NAMES

    def _is_object(self, node):
        if isinstance(node, ast.Attribute):
            return node.attr in self.instances
        if isinstance(node, ast.Call):
            return getattr(node.func, "id", None) in self.classes
        return isinstance(node, ast.Name) and (
            node.id in self.instances or self._is_own_object(node)
        )

    def _is_handed_on(self, node):
        around = self.names.scopes.parents[node]
        if isinstance(around, ast.Attribute) or isinstance(getattr(node, "ctx", None), ast.Store):
            return False
        return not isinstance(around, (ast.Expr, ast.Assign, ast.AnnAssign, ast.withitem))

    # ---- Names

    def _collect(self):
        stored, others = {}, set()
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                is_own = isinstance(node.ctx, ast.Store) and self._is_own_object(node.value)
                (stored.setdefault(node.attr, []).append(node) if is_own else others.add(node.attr))
            others |= self._other_names(node)
        self.followed = {
            name for name in stored if name not in others and not self._is_in_a_text(name)
        }
        self.lists = {
            name
            for name in self.followed
            if all(self.names.scopes.is_given_new_list(node) for node in stored[name])
        }

    def _other_names(self, node):
        """Other ways in which a node gives an attribute its name."""
        if isinstance(node, DEFINITIONS):
            return {node.name}
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            is_of_class = isinstance(self.names.scopes.scope_of(node), ast.ClassDef)
            return {node.id} if is_of_class else set()
        return set(getattr(node, "kwd_attrs", ()))  # of a pattern: `case Timer(begun=x)`

    def _is_in_a_text(self, name):
        """`"{0.begun}".format(timer)`."""
        return any("." + name in text for text in self._texts())

    def _texts(self):
        """All but those that stand alone, as documentation does."""
        for node in self.nodes:
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and not isinstance(self.names.scopes.parents[node], ast.Expr):
                yield node.value
