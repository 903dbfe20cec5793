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

from calls import CLOCKS, DATES, IDS, NAMES_OF_CLOCKS, OTHER_CLOCKS, WRITERS_OF_TIMES
from expressions import Expressions
from hiding import hides
from showing import Showing
from values import CONSTANT, PLAIN, UNKNOWN, Value, is_of_clock, may_be_shown


class Flow(Expressions):
    """The readings of a tree, and which of them are spoiled."""

    def __init__(self, tree, is_script, is_alone=True, is_trusted=False):
        super().__init__(tree, is_script, is_alone, is_trusted)
        self.showing = Showing(self)
        self.spoiled_before = frozenset()
        if is_trusted:
            self.is_known = not self._changes_clocks() and self._settle() and not self._hands_over()
            self.spoiled_before = frozenset(self.spoiled)
        else:
            self.is_known = not hides(self) and self._settle() and not self._hands_over()

    # ---- The whole

    def _settle(self):
        """What nothing gives a value to is plain, once all else has one."""
        if not self._repeat(UNKNOWN):
            return False
        self.held = {k: v for k, v in self.held.items() if v.kind != "unknown"}
        return self._repeat(PLAIN)

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
            if is_name and isinstance(node.ctx, ast.Load) and self._is_clock(node):
                yield node

    def _is_clock(self, node):
        name = self.meaning(node)
        if name in CLOCKS | DATES | IDS | OTHER_CLOCKS:
            return True
        if name in WRITERS_OF_TIMES:
            return not self._is_given_time(node)
        last = getattr(node, "attr", getattr(node, "id", ""))
        return last in NAMES_OF_CLOCKS and self.is_called(node)

    def _is_given_time(self, node):
        call = self.scopes.parents[node]
        return isinstance(call, ast.Call) and call not in self.sources and bool(call.args)

    def _hands_over(self):
        """True for a file that holds a clock by another name: `now = time.time`."""
        return not all(self.is_called(node) for node in self.clocks())

    def _changes_clocks(self):
        """`time.time = clock.now`."""
        return any(
            isinstance(node, ast.Attribute)
            and not isinstance(node.ctx, ast.Load)
            and node.attr in NAMES_OF_CLOCKS
            for node in self.scopes.parents
        )

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
        key = self._key_of(node.target)
        if key is None:
            self.spoil(self.value(node.value))
            return self.children(node.target)
        before = self.held.get(key, self.missing)
        value = self.value(node.value)
        is_total = isinstance(node.op, ast.Add) and before.kind == "constant"  # total = 0.0
        if not is_total or value.kind != "duration":
            value = self.operate(node.op, before, value)
        return self.bind(node.target, value)

    def _key_of(self, target):
        if isinstance(target, ast.Name):
            return self.scopes.scope_with(target, target.id), target.id
        return ("attribute", target.attr) if self.is_followed_attribute(target) else None

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
        if not self.showing.shows(call):
            return False
        self.children(call.func)
        self.spoil(*[self.value(argument) for argument in self.showing.names_of(call)])
        for argument in [*call.args, *(word.value for word in call.keywords)]:
            value = self.value(argument)
            if is_of_clock(value) and not may_be_shown(value):
                self.spoil(value)
        return True

    def appends(self, call):
        """`seconds.append(time.time() - start)`."""
        function = call.func
        is_append = isinstance(function, ast.Attribute) and function.attr == "append"
        if not is_append or len(call.args) != 1 or call.keywords:
            return False
        value = self.value(call.args[0])
        kind = {"duration": "durations", "text": "texts"}.get(value.kind)
        if kind is None or not self.showing.is_own_list(function.value):
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


def kept_lines(flow):
    """The lines that take a time which a library keeps, and do not only show it."""
    for node in flow.scopes.parents:
        is_item = isinstance(node, ast.Subscript) and flow.is_kept_item(node)
        if is_item or (isinstance(node, ast.Attribute) and flow.is_kept_attribute(node)):
            if not flow.is_known or node not in flow.sources or node in flow.spoiled:
                yield node.lineno


def shown_lines(flow, lines):
    """Those of the lines whose readings are only shown."""
    if not flow.is_known:
        return []
    shown, others = set(), set()
    for node in flow.clocks():
        statement = flow.scopes.statement_of(node)
        call = flow.scopes.parents[node]
        is_shown = call in flow.sources and call not in flow.spoiled
        first = min(statement.lineno, node.lineno)
        last = max(_last_line(statement), node.end_lineno)
        (shown if is_shown else others).update(range(first, last + 1))
    return [line for line in lines if line in shown and line not in others]
