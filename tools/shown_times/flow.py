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
from itertools import filterfalse

from calls import ALL_CLOCKS, NAMES_OF_CLOCKS, WRITERS_OF_TIMES
from expressions import LISTS_OF, Expressions
from hiding import hides
from nodes import defaults, given_to, is_method_call, is_read, last_name, parameters_by_place
from showing import Showing
from values import CONSTANT, PLAIN, UNKNOWN, Value, is_known, may_be_shown, of_clock


class Flow(Expressions):
    """The readings of a tree, and which of them are spoiled."""

    def __init__(self, tree, is_script, is_alone=True, is_trusted=False):
        super().__init__(tree, is_script, is_alone, is_trusted)
        self.showing = Showing(self)
        is_unseen = self._changes_clocks() if is_trusted else hides(self)
        self.is_known = not is_unseen and self._settle() and not self._hands_over()
        self.spoiled_before = frozenset(self.spoiled)

    # ---- The whole

    def _settle(self):
        """What nothing gives a value to is plain, once all else has one."""
        if not self._repeat(UNKNOWN):
            return False
        self.held = {key: value for key, value in self.held.items() if is_known(value)}
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
        read = filter(is_read, self.scopes.of(ast.Name, ast.Attribute))
        return list(filter(self._is_clock, read))

    def _is_clock(self, node):
        name = self.meaning(node)
        if name in WRITERS_OF_TIMES:
            return not self._is_given_time(self.scopes.parents[node])
        is_called_so = last_name(node) in NAMES_OF_CLOCKS and self.is_called(node)
        return is_called_so or name in ALL_CLOCKS

    def _is_given_time(self, call):
        return isinstance(call, ast.Call) and call not in self.sources and bool(call.args)

    def _hands_over(self):
        """True for a file that holds a clock by another name: `now = time.time`."""
        return not all(map(self.is_called, self.clocks()))

    def _changes_clocks(self):
        """`time.time = clock.now`."""
        changed = map(last_name, self.scopes.written(ast.Attribute))
        return not NAMES_OF_CLOCKS.isdisjoint(changed)

    def is_only_shown(self, reading):
        return self.is_known and reading in self.sources and reading not in self.spoiled

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
                self.use([child])
            else:
                self.children(child)

    def do_Expr(self, node):
        handle = self._do_call if isinstance(node.value, ast.Call) else self.value
        handle(node.value)

    def _do_call(self, call):
        if self.showing.shows(call):
            self.show(call)
        elif self._is_append(call):
            self.append(call.func.value, call.args[0])
        else:
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
            self.use([node.value])
            return self.children(node.target)
        before = self.held.get(key, self.missing)
        value = self.value(node.value)
        is_sum = isinstance(node.op, ast.Add) and value.kind == "duration"
        if not is_sum or before.kind != "constant":  # total = 0.0
            value = self.operate(node.op, before, value)
        return self.bind(node.target, value)

    def _key_of(self, target):
        if isinstance(target, ast.Name):
            return self.scopes.key_of(target)
        return ("attribute", target.attr) if self.is_followed_attribute(target) else None

    def do_For(self, node):
        self.bind(node.target, self.item_of(node.iter))
        self.body(node.body + node.orelse)

    def do_Return(self, node):
        function = self.scopes.scope_of(node)
        value = CONSTANT if node.value is None else self.value(node.value)
        if self.is_own_function(function):
            self.give((function, "return"), value)
        else:
            self.spoil(value)

    def is_own_function(self, function):
        """One of a script's whose calls are all seen."""
        return self.functions.get(getattr(function, "name", "")) is function

    def do_FunctionDef(self, node):
        self.use([*defaults(node), *node.decorator_list])
        if self.is_own_function(node):
            self._give_defaults(node)
        else:
            self._hide_parameters(node)
        self.give((self.scopes.scope_of(node), node.name), PLAIN)
        self.body(node.body)

    do_AsyncFunctionDef = do_FunctionDef

    def _give_defaults(self, node):
        by_place = zip(parameters_by_place(node)[::-1], node.args.defaults[::-1])
        by_name = zip(node.args.kwonlyargs, node.args.kw_defaults)
        for parameter, default in [*by_place, *by_name]:
            if default is not None:
                self.give((node, parameter.arg), self.value(default))

    def do_ClassDef(self, node):
        words = [word.value for word in node.keywords]
        self.use([*node.bases, *words, *node.decorator_list])
        self.body(node.body)

    def do_With(self, node):
        for item in node.items:
            self.use([item.context_expr])
            if item.optional_vars is not None:
                self.bind(item.optional_vars, PLAIN)
        self.body(node.body)

    do_AsyncWith = do_With

    # ---- What shows

    def show(self, call):
        self.children(call.func)
        self.use(self.showing.names_of(call))
        times = of_clock(self.values(given_to(call)))
        self.spoil(*filterfalse(may_be_shown, times))

    @staticmethod
    def _is_append(call):
        """`seconds.append(time.time() - start)`."""
        is_append = is_method_call(call) and call.func.attr == "append"
        return is_append and len(call.args) == 1 and not call.keywords

    def append(self, target, item):
        value = self.value(item)
        kind = LISTS_OF.get(value.kind)
        if kind is not None and self.showing.is_own_list(target):
            self.bind(target, Value(kind, value.sources))
        else:
            self.spoil(value, self.value(target))


def _last_line(statement):
    """Of a compound statement the header alone."""
    body = getattr(statement, "body", None)
    is_compound = isinstance(body, list) and body
    return max(statement.lineno, body[0].lineno - 1) if is_compound else statement.end_lineno


def kept_lines(flow):
    """The lines that take a time which a library keeps, and do not only show it."""
    for node in flow.scopes.of(ast.Attribute, ast.Subscript):
        if flow.is_kept(node) and not flow.is_only_shown(node):
            yield node.lineno


def shown_lines(flow, lines):
    """Those of the lines whose readings are only shown."""
    readings = {True: set(), False: set()}
    for node in flow.clocks():
        statement = flow.scopes.statement_of(node)
        first = min(statement.lineno, node.lineno)
        last = max(_last_line(statement), node.end_lineno)
        is_shown = flow.is_only_shown(flow.scopes.parents[node])
        readings[is_shown].update(range(first, last + 1))
    shown = readings[True] - readings[False]
    return [line for line in lines if line in shown]
