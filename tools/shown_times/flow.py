"""What becomes of the clocks that a file of Python's reads.

A reading whose value is only shown is no reason: a difference of two readings, or a date, that is
printed, formatted, logged or handed to a writer of metrics. All else is one: a comparison, an
argument of another function, a file's name, what leaves the file.

Every expression has a value: a kind, and the readings that it is made of. What no rule below allows
spoils these readings. Names are looked at without an order: one has what is given to it anywhere.
Taken for granted: a logger's methods log, and what a duration is shown with (`n / seconds`) is a
number of things.
"""

import ast

from calls import (
    CLOCKS,
    DATES,
    HIDING,
    HIDING_ATTRIBUTES,
    OTHER_CLOCKS,
    SHOWING_FUNCTIONS,
    SHOWING_METHODS,
    WRITERS_OF_TIMES,
)
from expressions import Expressions
from scopes import DEFINITIONS
from values import CONSTANT, PLAIN, STREAMS, UNKNOWN, Value, is_of_clock, may_be_shown


class Flow(Expressions):
    """The readings of a tree, and which of them are spoiled."""

    def __init__(self, tree, is_script):
        super().__init__(tree, is_script)
        self.is_known = not self._hides() and self._settle() and not self._hands_over()

    # ---- The whole

    def _hides(self):
        """True for a file that reaches names by their texts, or turns what is printed elsewhere."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                return True
            if isinstance(node, ast.Nonlocal):
                return True
            if isinstance(node, ast.Name) and self._names_hiding(node):
                return True
            if isinstance(node, ast.Attribute):
                is_stored = isinstance(node.ctx, ast.Store)
                if node.attr in HIDING_ATTRIBUTES or (is_stored and node.attr in STREAMS):
                    return True
        return False

    def _names_hiding(self, node):
        """`vars(args)` is an object's, `vars()` the scope's."""
        call = self.scopes.parents[node]
        is_of_object = node.id == "vars" and isinstance(call, ast.Call) and call.args
        return node.id in HIDING and not is_of_object

    def _settle(self):
        """What nothing gives a value to is plain, once all else has one."""
        return self._repeat(UNKNOWN) and self._repeat(PLAIN)

    def _repeat(self, missing):
        self.missing = missing
        for _ in range(12):
            before = dict(self.held)
            self.spoiled.clear()
            self.body(self.tree.body)
            if before == self.held:
                return True
        return False

    def clocks(self):
        """The expressions that name clocks, as they are called; all of them where one is not."""
        for node in self.scopes.parents:
            is_name = isinstance(node, (ast.Name, ast.Attribute))
            name = self.meaning(node) if is_name and isinstance(node.ctx, ast.Load) else ""
            if name in CLOCKS or name in DATES or name in OTHER_CLOCKS:
                yield node
            elif name in WRITERS_OF_TIMES and not self._is_given_time(node):
                yield node

    def _is_given_time(self, node):
        call = self.scopes.parents[node]
        return isinstance(call, ast.Call) and call not in self.sources and bool(call.args)

    def _hands_over(self):
        """True for a file that holds a clock by another name: `now = time.time`."""
        return not all(self._is_called(node) for node in self.clocks())

    # ---- Statements

    def body(self, statements):
        for statement in statements:
            handle = getattr(self, f"do_{type(statement).__name__}", self.children)
            handle(statement)

    def children(self, node):
        """Of a kind that has no rule: what it takes is spoiled."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self.body([child])
            elif isinstance(child, ast.expr):
                self.spoil(self.value(child))
            elif not isinstance(child, (ast.expr_context, ast.operator, ast.cmpop)):
                self.children(child)

    def do_Expr(self, node):
        call = node.value
        if isinstance(call, ast.Call) and (self.shows(call) or self.appends(call)):
            return
        self.value(call)

    def do_Assign(self, node):
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value)

    def do_AnnAssign(self, node):
        if node.value is not None:
            self.bind(node.target, self.value(node.value))

    def do_AugAssign(self, node):
        if not isinstance(node.target, ast.Name):
            self.spoil(self.value(node.value))
            return self.children(node.target)
        scope = self.scopes.scope_with(node.target, node.target.id)
        before = self.held.get((scope, node.target.id), self.missing)
        return self.bind(node.target, self.operate(node.op, before, self.value(node.value)))

    def do_For(self, node):
        self.bind(node.target, self.item_of(node.iter))
        self.body(node.body + node.orelse)

    def do_Return(self, node):
        value = PLAIN if node.value is None else self.value(node.value)
        function = self.scopes.scope_of(node)
        name = getattr(function, "name", "")
        is_followed = self.is_script and self.functions.get(name) is function
        if is_followed:
            self.give((function, "return"), CONSTANT if node.value is None else value)
        else:
            self.spoil(value)

    def do_FunctionDef(self, node):
        for default in [*node.args.defaults, *node.args.kw_defaults, *node.decorator_list]:
            if default is not None:
                self.spoil(self.value(default))
        is_followed = self.is_script and self.functions.get(node.name) is node
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg) and not is_followed:
                self.give((node, argument.arg), PLAIN)
        if is_followed:
            self._give_defaults(node)
        self.give((self.scopes.scope_of(node), node.name), PLAIN)
        self.body(node.body)

    do_AsyncFunctionDef = do_FunctionDef

    def _give_defaults(self, node):
        arguments = [*node.args.posonlyargs, *node.args.args]
        pairs = [*zip(arguments[::-1], node.args.defaults[::-1])]
        pairs += [pair for pair in zip(node.args.kwonlyargs, node.args.kw_defaults) if pair[1]]
        for argument, default in pairs:
            self.give((node, argument.arg), self.value(default))

    def do_ClassDef(self, node):
        words = [word.value for word in node.keywords]
        for expression in [*node.bases, *words, *node.decorator_list]:
            self.spoil(self.value(expression))
        self.body(node.body)

    def do_With(self, node):
        for item in node.items:
            self.spoil(self.value(item.context_expr))
            if item.optional_vars is not None:
                self.bind(item.optional_vars, PLAIN)
        self.body(node.body)

    do_AsyncWith = do_With

    # ---- What shows

    def shows(self, call):
        """A call whose value is thrown away, and which shows what it is given."""
        if not self.is_showing(call):
            return False
        self.children(call.func)
        for argument in [*call.args, *(word.value for word in call.keywords)]:
            value = self.value(argument)
            if is_of_clock(value) and not may_be_shown(value):
                self.spoil(value)
        return True

    def is_showing(self, call):
        name = self.meaning(call.func)
        if name in SHOWING_FUNCTIONS:
            return all(self._is_shown_there(word) for word in call.keywords)
        if not isinstance(call.func, ast.Attribute):
            return False
        is_own = any(
            isinstance(node, DEFINITIONS) and node.name == call.func.attr
            for node in ast.walk(self.tree)
        )
        return call.func.attr in SHOWING_METHODS and not is_own

    def _is_shown_there(self, word):
        """`file=` may lead to a file that is a result."""
        if word.arg is None:
            return False
        return word.arg != "file" or self.meaning(word.value) in ("sys.stdout", "sys.stderr")

    def appends(self, call):
        """`seconds.append(time.time() - start)`."""
        function = call.func
        is_append = isinstance(function, ast.Attribute) and function.attr == "append"
        if not is_append or len(call.args) != 1 or call.keywords:
            return False
        value = self.value(call.args[0])
        kind = {"duration": "durations", "text": "texts"}.get(value.kind)
        if kind is None or not isinstance(function.value, ast.Name):
            self.spoil(value)
            self.spoil(self.value(function.value))
            return True
        self.bind(function.value, Value(kind, value.sources))
        return True


def _last_line(statement):
    """Of a compound statement the header alone."""
    body = getattr(statement, "body", None)
    is_compound = isinstance(body, list) and body
    return max(statement.lineno, body[0].lineno - 1) if is_compound else statement.end_lineno


def shown_lines(tree, lines, is_script):
    """Those of the lines whose readings are only shown."""
    flow = Flow(tree, is_script)
    if not flow.is_known:
        return []
    shown, others = set(), set()
    for node in flow.clocks():
        statement = flow.scopes.statement_of(node)
        call = flow.scopes.parents[node]
        is_shown = call in flow.sources and call not in flow.spoiled
        (shown if is_shown else others).update(range(statement.lineno, _last_line(statement) + 1))
    return [line for line in lines if line in shown and line not in others]
