"""A file of Python's, as Python's own parser reads it."""

import ast
import collections
import re
import tokenize
from typing import NamedTuple, Optional

from names import takes_seed, takes_seed_by_any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
IMPORTS = (ast.Import, ast.ImportFrom)
NAMED = (ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.NamedExpr)
LOOPS = (
    ast.For,
    ast.While,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Lambda,
)


class SeedPlace(NamedTuple):
    """An expression that is a seed by where it stands."""

    node: Optional[ast.AST]
    names: str = ""  # of what holds it: variables, options, keys
    variables: tuple = ()


NO_SEED = SeedPlace(None)


class PythonCode:
    """Which call stands where, what names mean, and what is a seed."""

    def __init__(self, path):
        with open(path, "rb") as file:
            encoding = tokenize.detect_encoding(file.readline)[0]
            self.encoding = encoding.replace("-sig", "")  # a byte-order mark is kept
            file.seek(0)
            self.text = file.read().decode(self.encoding)
        line_ends = re.finditer(r"\r\n|\n|\r", self.text)
        self.starts = [int(self.text.startswith("\ufeff"))] + [end.end() for end in line_ends]
        self.tree = ast.parse(self.text[self.starts[0] :])
        self.parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }
        self.calls = {node.func: node for node in self.parents if isinstance(node, ast.Call)}
        self.in_texts = self._nodes_in_texts()
        self.bound = self._bound_names()
        self.imports = self._imported_names()
        self.names = {name for _, name in self.bound} | self.imports.keys()

    def _nodes_in_texts(self):
        """Those of f-strings, whose places are known from Python 3.12 on alone."""
        texts = [node for node in self.parents if isinstance(node, ast.JoinedStr)]
        return {node for text in texts for node in ast.walk(text) if node is not text}

    def _bound_names(self):
        """What is given to a name, by the scope that has it and the name."""
        bound = collections.defaultdict(list)
        scopes = (*FUNCTIONS, ast.ClassDef)
        for node in self.parents:
            is_stored = isinstance(getattr(node, "ctx", None), ast.Store)
            if isinstance(node, NAMED) or is_stored:
                scope = next(self.around(node, scopes), self.tree)
                name = getattr(node, "id", getattr(node, "arg", getattr(node, "name", "")))
                bound[scope, name].append(node)
        return bound

    def _imported_names(self):
        """ "numpy.random" by "nr"."""
        imported = {}
        for statement in self.parents:
            if not isinstance(statement, IMPORTS):
                continue
            is_from = isinstance(statement, ast.ImportFrom)
            module = (statement.module or "") + "." if is_from else ""
            for name in statement.names:
                is_whole = is_from or name.asname
                whole = name.name if is_whole else name.name.split(".")[0]
                imported[name.asname or whole] = module + whole
        return imported

    def span(self, node):
        """Where it begins and ends in the text. Columns of nodes count bytes of UTF-8."""
        return (
            self._place(node.lineno, node.col_offset),
            self._place(node.end_lineno, node.end_col_offset),
        )

    def _place(self, line, column):
        start = self.starts[line - 1]
        before = self.text[start : start + column].encode()[:column]
        return start + len(before.decode(errors="ignore"))

    def segment(self, node):
        begin, end = self.span(node)
        return self.text[begin:end]

    def line_of(self, place):
        return sum(start <= place for start in self.starts)

    def around(self, node, kinds):
        while node := self.parents.get(node):
            if isinstance(node, kinds):
                yield node

    def scope(self, node):
        """The function that has a name for its own, else the module."""
        name = getattr(node, "id", None)
        own = (
            function for function in self.around(node, FUNCTIONS) if (function, name) in self.bound
        )
        return next(own, self.tree)

    def full(self, node):
        """As imports tell it: "numpy.random.seed"; of a method of an expression ".iterdir"."""
        if isinstance(node, ast.Attribute):
            return self.full(node.value) + "." + node.attr
        if not isinstance(node, ast.Name):
            return ""
        if self._has_other_value(node):
            return "." + node.id
        return self.imports.get(node.id, node.id)

    def _has_other_value(self, node):
        """True for a name of an import to which the module itself gave something else above."""
        if node.id not in self.imports:
            return False
        targets = self.bound.get((self.tree, node.id), ())
        values = [getattr(self.parents[target], "value", None) or target for target in targets]
        return any(
            not isinstance(value, ast.Constant) and value.end_lineno < node.lineno
            for value in values
        )

    def calls_at(self, line):
        """The calls that Python reports by that line, each with its function."""
        return [
            (call, self.full(call.func))
            for call in self.calls.values()
            if call.lineno <= line <= call.func.end_lineno
        ]

    def seed_around(self, node):
        """The smallest expression around it that is a seed."""
        while not isinstance(node, ast.stmt):
            holder = self.parents[node]
            for kinds, place_in in SEED_HOLDERS:
                place = place_in(self, node, holder) if isinstance(holder, kinds) else None
                if place is not None:
                    return place
            node = holder
        return NO_SEED

    def _seed_of_keyword(self, value, keyword):
        call = self.parents[keyword]
        options = keyword.arg or ""
        if options == "default":  # add_argument("--random-seed", default=...)
            options = " ".join(map(self.segment, call.args)).replace("-", "_")
        if takes_seed_by_any(options):
            return SeedPlace(value, options)
        return NO_SEED if takes_seed(self.full(call.func)) else None

    def _seed_of_call(self, value, call):
        is_seed = value in call.args and takes_seed(self.full(call.func))
        return SeedPlace(value) if is_seed else None

    def _seed_returned(self, value, statement):
        function = next(self.around(statement, FUNCTIONS))
        return SeedPlace(value) if takes_seed(function.name) else None

    def _seed_in_dictionary(self, value, dictionary):
        if value not in dictionary.values:
            return None
        key = dictionary.keys[dictionary.values.index(value)]
        name = self.segment(key or dictionary)
        return SeedPlace(value, name) if takes_seed(name) else None

    def _seed_assigned(self, value, statement):
        targets = getattr(statement, "targets", None) or [statement.target]
        if any(isinstance(target, (ast.Tuple, ast.List)) for target in targets):
            return None
        names = [self.segment(target) for target in targets]
        is_seed = value is statement.value and all(map(takes_seed, names))
        return SeedPlace(value, " ".join(names), tuple(targets)) if is_seed else None

    def surely_calls(self, name):
        """True if it calls that on no condition, and in no function that may be a worker's."""

        def is_sure(around):
            is_function = isinstance(around, ast.FunctionDef)
            return is_function and (around.name == "main" or takes_seed(around.name))

        conditions = (ast.If, ast.IfExp, ast.Lambda, ast.FunctionDef)
        return any(
            self.full(call.func) == name and all(map(is_sure, self.around(call, conditions)))
            for call in self.calls.values()
        )


# What holds a value, and what says whether that is a seed.
SEED_HOLDERS = (
    (ast.keyword, PythonCode._seed_of_keyword),
    (ast.Call, PythonCode._seed_of_call),
    (ast.Return, PythonCode._seed_returned),
    (ast.Dict, PythonCode._seed_in_dictionary),
    (ASSIGNMENTS, PythonCode._seed_assigned),
)
