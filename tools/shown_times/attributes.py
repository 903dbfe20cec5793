"""Which attributes of a script's own classes hold what the script alone reads.

`self.begun = time.time()` is followed like a name: by the attribute's name, whichever object has
it. So it must have that name in one way only, and no object may be read as a whole: by its texts
(`getattr`, a format that is no constant), as a dict (`vars`), or as it is saved. Taken for granted:
no library reads the attributes of objects that it is handed, but by these ways.
"""

import ast
import re
from collections import Counter
from itertools import filterfalse

from calls import HIDING_MODULES_OF_OBJECTS, OBJECT_READERS, PLAIN_BASES
from nodes import (
    DEFINITIONS,
    FUNCTIONS,
    IMPORTS,
    inside,
    is_bare,
    is_method_call,
    is_stored,
    last_name,
    names_imported,
    names_of,
    simple_names,
    top_modules,
)
from saving import Saving

FORMATS = {"format", "format_map", "render"}
WITHOUT_SELF = {"staticmethod", "classmethod"}


class Attributes:
    """`followed`: names of attributes; `lists`: those of them that `= []` alone binds."""

    def __init__(self, names):
        self.names = names
        self.scopes = names.scopes
        self.followed, self.lists = set(), set()
        self.classes = self._plain_classes()
        self.own_objects = set(self._own_objects())
        self.made_objects = set(self._made_objects())
        if names.is_trusted or self._is_private():
            self._collect()

    def _is_private(self):
        if not (self.names.is_script and self.names.is_alone):
            return False
        is_read = any(map(self._reads_objects, self.scopes.parents))
        return not is_read and not Saving(self.names).is_there

    # ---- What reads objects as a whole

    def _reads_objects(self, node):
        return self.READERS.get(type(node), Attributes._names_reader)(self, node)

    def _names_reader(self, node):
        names = {last_name(node), getattr(node, "name", "")}
        is_path = self.names.meaning(node) == "sys.path"
        return is_path or not OBJECT_READERS.isdisjoint(names)

    def _imports_reader(self, node):
        imported = top_modules(node) | names_imported(node)
        return not imported.isdisjoint(HIDING_MODULES_OF_OBJECTS | OBJECT_READERS)

    def _formats_unseen(self, node):
        """A call of `format` on what is no text of the file."""
        is_format = is_method_call(node) and node.func.attr in FORMATS
        return is_format and not isinstance(node.func.value, ast.Constant)

    READERS = {**dict.fromkeys(IMPORTS, _imports_reader), ast.Call: _formats_unseen}

    # ---- Classes

    def _plain_classes(self):
        """By name. None has a child, in the file, of which a library's code may read attributes."""
        classes = self.scopes.of(ast.ClassDef)
        count = Counter(node.name for node in classes)
        plain = {node.name: node for node in classes if count[node.name] == 1}
        while odd := plain.keys() & self._names_of_odd(classes, plain):
            for name in odd:
                del plain[name]
        return plain

    def _names_of_odd(self, classes, plain):
        """Those that are not plain, and what they are made of."""
        odd = [node for node in classes if not self._is_plain(node, plain)]
        return names_of(odd).union(*(map(last_name, node.bases) for node in odd))

    def _is_plain(self, node, plain):
        is_known = all(self._is_plain_base(base, plain) for base in node.bases)
        return is_known and is_bare(node) and node.name in plain

    def _is_plain_base(self, base, plain):
        if isinstance(base, ast.Name) and base.id in plain:
            return True
        name = self.names.meaning(base).split(".")[-1]
        return name in PLAIN_BASES or "Callback" in name

    def _own_objects(self):
        """Scope and name of `self` in each method of such a class."""
        for owner in self.classes.values():
            for method in filter(self._has_self, owner.body):
                yield method, method.args.args[0].arg

    @staticmethod
    def _has_self(member):
        if not isinstance(member, FUNCTIONS) or not member.args.args:
            return False
        return simple_names(member.decorator_list).isdisjoint(WITHOUT_SELF)

    def is_own_object(self, node):
        """`self` in a method of such a class."""
        return isinstance(node, ast.Name) and self.scopes.key_of(node) in self.own_objects

    def is_made_object(self, node):
        """A name that only `Class(...)` of such a class gives a value to, or a `with` of it."""
        return isinstance(node, ast.Name) and self.scopes.key_of(node) in self.made_objects

    def _made_objects(self):
        for key, calls in self.scopes.makers().items():
            if all(map(self._makes_object, calls)):
                yield key

    def _makes_object(self, call):
        owner = self.classes.get(getattr(call.func, "id", None)) if call is not None else None
        is_entered = isinstance(self.scopes.parents.get(call), ast.withitem)
        return owner is not None and (not is_entered or self._enters_itself(owner))

    def _enters_itself(self, owner):
        """Its `__enter__` gives the object itself."""
        methods = [member for member in owner.body if getattr(member, "name", "") == "__enter__"]
        given = [node.value for method in methods for node in inside(method, ast.Return)]
        return bool(given) and all(map(self.is_own_object, given))

    # ---- Names

    def _collect(self):
        written = set(self.scopes.written(ast.Attribute))
        own = set(filter(self._is_own_store, written))
        names = set(map(last_name, own)) - set(map(last_name, written - own))
        texts = self._texts()
        self.followed = {
            name
            for name in names - self._names_of_members()
            if not (name.startswith("__") or self._is_in_a_text(name, texts))
        }
        others = filterfalse(self.scopes.is_given_new_list, own)
        self.lists = self.followed - set(map(last_name, others))

    def _is_own_store(self, node):
        return is_stored(node) and self.is_own_object(node.value)

    def _names_of_members(self):
        """What classes bind, and what patterns ask for: `case Timer(begun=x)`."""
        names = names_of(self.scopes.of(*DEFINITIONS))
        asked = (getattr(node, "kwd_attrs", ()) for node in self.scopes.parents)
        bound = map(self.scopes.bound.__getitem__, self.scopes.of(ast.ClassDef))
        return names.union(*asked, *bound)

    @staticmethod
    def _is_in_a_text(name, texts):
        """As a whole one, in `"{0.begun}".format(timer)`, or in a page's `{{ begun }}`."""
        place = re.compile(rf"\A{name}\Z|\.{name}\b|\{{\{{\s*{name}\b")
        return any(map(place.search, texts))

    def _texts(self):
        """All but those that stand alone, as documentation does."""
        return [node.value for node in filterfalse(self._stands_alone, self.scopes.texts())]

    def _stands_alone(self, node):
        return isinstance(self.scopes.parents[node], ast.Expr)
