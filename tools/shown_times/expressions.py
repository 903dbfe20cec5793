"""What expressions give."""

import ast

from calls import (
    CLOCKS,
    DATE_METHODS,
    DATES,
    DURATION_ATTRIBUTES,
    FUNCTIONS_OF_LISTS,
    FUNCTIONS_OF_NUMBERS,
    IDS,
    KEPT_ATTRIBUTES,
    KEPT_KEYS,
    KEPT_OF_RECORDS,
    LIST_METHODS,
    TEXT_FUNCTIONS,
    TEXT_METHODS,
    TEXTS_OF_DATES,
    TIMES_OF_NUMBERS,
)
from names_of_file import Names
from values import (
    CONSTANT,
    COUNT,
    KNOWN_FUNCTIONS,
    NUMBERS,
    OPTIONS,
    PLAIN,
    TIMES,
    UNKNOWN,
    WITHOUT_CLOCK,
    Value,
    are_shown,
    is_of_clock,
    is_part_of_times,
    kind_of_operation,
    may_be_shown,
    strict_kind,
    together,
)


class Expressions(Names):
    """Finds the value of an expression, and spoils what it uses up."""

    def value(self, node):
        handle = getattr(self, f"of_{type(node).__name__}", None)
        if handle is not None:
            return handle(node)
        self.children(node)
        return PLAIN

    def of_Constant(self, node):
        return PLAIN if isinstance(node.value, str) else CONSTANT

    def of_Name(self, node):
        meter = self.meter_of(node)
        if meter is not None:  # as a whole it is a text of what it holds, or a use
            held = self.held.get(meter, PLAIN)
            return Value("text", held.sources) if is_of_clock(held) else PLAIN
        scope = self.scopes.scope_with(node, node.id)
        if scope is None or self.scopes.imported(scope, node.id):
            return PLAIN
        if isinstance(scope, ast.ClassDef):  # before the body binds it, the outer one is meant
            outer = self.scopes.scope_with(scope, node.id)
            self.spoil(self.held.get((outer, node.id), PLAIN))
        return self.held.get((scope, node.id), self.missing)

    def of_NamedExpr(self, node):
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def of_Tuple(self, node):
        parts = tuple(self.value(part) for part in node.elts)
        if any(isinstance(part, ast.Starred) for part in node.elts):
            return self.spoil(*parts)
        return Value("group", together(parts), parts)

    def of_List(self, node):
        parts = [self.value(part) for part in node.elts]
        if any(part.kind == "unknown" for part in parts):
            return Value("unknown", together(parts))
        if not any(is_of_clock(part) for part in parts):
            return PLAIN if parts else CONSTANT
        if all(part.kind == "duration" for part in parts):
            return Value("durations", together(parts))
        if all(part.kind == "text" or not is_of_clock(part) for part in parts):
            return Value("texts", together(parts))
        return self.spoil(*parts)

    def of_Dict(self, node):
        for key in node.keys:
            self.spoil(PLAIN if key is None else self.value(key))
        values = [self.value(value) for value in node.values]
        if any(value.kind == "unknown" for value in values):
            return Value("unknown", together(values))
        if not any(is_of_clock(value) for value in values):
            return PLAIN
        if all(may_be_shown(value) or not is_of_clock(value) for value in values):
            return Value("record", together(values))
        return self.spoil(*values)

    def of_JoinedStr(self, node):
        values = [self.value(part) for part in node.values]
        if any(value.kind == "unknown" for value in values):
            return Value("unknown", together(values))
        return Value("text", together(values)) if together(values) else PLAIN

    def of_FormattedValue(self, node):
        if node.format_spec is not None:
            self.spoil(self.value(node.format_spec))
        return self.text_of(self.value(node.value))

    def text_of(self, value):
        if value.kind == "unknown":
            return UNKNOWN
        if not is_of_clock(value):
            return PLAIN
        return Value("text", value.sources) if may_be_shown(value) else self.spoil(value)

    def of_UnaryOp(self, node):
        value = self.value(node.operand)
        is_sign = isinstance(node.op, (ast.UAdd, ast.USub))
        if is_sign and value.kind in ("duration", *NUMBERS):
            return value
        return self.spoil(value)

    def of_IfExp(self, node):
        self.spoil(self.value(node.test))
        return self.joined([self.value(node.body), self.value(node.orelse)])

    def of_BinOp(self, node):
        left, right = self.value(node.left), self.value(node.right)
        text = getattr(node.left, "value", None)
        if isinstance(node.op, ast.Mod) and isinstance(text, str) and "*" not in text:
            return self.text_of(Value("group", together([left, right]), (left, right)))
        if isinstance(node.op, ast.Div) and right.kind == "duration" and self._is_guarded(node):
            return self.spoil(left, right)  # a clock that is too coarse leads elsewhere
        return self.operate(node.op, left, right, node.right)

    def _is_guarded(self, node):
        while node is not self.tree:
            node = self.scopes.parents[node]
            if isinstance(node, (ast.Try, ast.With)):
                return True
        return False

    def operate(self, operator, left, right, right_node=None):
        if "unknown" in (left.kind, right.kind):
            return Value("unknown", left.sources | right.sources)
        if not is_of_clock(left) and not is_of_clock(right):
            is_number = left.kind in NUMBERS and right.kind in NUMBERS
            return COUNT if is_number else PLAIN
        rule = strict_kind if self.is_trusted else kind_of_operation
        kind = rule(operator, left.kind, right.kind, right_node)
        if kind is None or (left.kind in TIMES and not self._is_one_clock(left, right)):
            return self.spoil(left, right)
        return Value(kind, left.sources | right.sources)

    def _is_one_clock(self, left, right):
        """What two clocks differ by is no duration."""
        return len({self.sources[source] for source in left.sources | right.sources}) == 1

    def of_Compare(self, node):
        """Whether there is a time, tells nothing of it."""
        is_identity = all(isinstance(operator, (ast.Is, ast.IsNot)) for operator in node.ops)
        values = [self.value(part) for part in [node.left, *node.comparators]]
        is_of_none = any(getattr(part, "value", ...) is None for part in node.comparators)
        return PLAIN if is_identity and is_of_none else self.spoil(*values)

    def of_Attribute(self, node):
        meter = self.meter_of(node.value)
        if meter is not None:
            return self.held.get(meter, PLAIN)
        value = self.value(node.value)
        if self.is_kept_attribute(node):
            self.spoil(value)
            return self._kept_time(node, "reading")
        if self.is_followed_attribute(node):
            self.spoil(value)
            return self.held.get(("attribute", node.attr), self.missing)
        if value.kind == "options":
            return COUNT
        if value.kind == "duration" and node.attr in DURATION_ATTRIBUTES:
            return value
        if value.kind == "unknown":
            return UNKNOWN
        is_shape = node.attr == "shape" and not is_of_clock(value)
        return Value("options") if is_shape else self.spoil(value)

    def is_kept_attribute(self, node):
        """What a library has measured: `model.total_train_time`, `record.created`."""
        if self.is_trusted or not isinstance(node.ctx, ast.Load):
            return False
        is_records = node.attr in KEPT_OF_RECORDS and self.handles_records
        return is_records or node.attr in KEPT_ATTRIBUTES

    def is_kept_item(self, node):
        """`search.cv_results_["mean_fit_time"]`."""
        key = getattr(node.slice, "value", None)
        is_read = isinstance(node.ctx, ast.Load) and not self.is_trusted
        return is_read and isinstance(key, str) and key in KEPT_KEYS

    def _kept_time(self, node, kind):
        self.sources[node] = "kept"
        return Value(kind, frozenset([node]))

    def of_Subscript(self, node):
        if self.is_kept_item(node):
            self.spoil(self.value(node.value))
            return self._kept_time(node, "durations")
        value = self.value(node.value)
        place = getattr(node.slice, "value", None)  # in Python 3.8 an ast.Index is around it
        place = getattr(place, "value", place)
        if isinstance(node.slice, ast.expr):
            self.spoil(self.value(node.slice))
        if value.kind == "group" and isinstance(place, int) and place < len(value.parts):
            return value.parts[place]
        if value.kind == "durations":
            kind = "durations" if isinstance(node.slice, ast.Slice) else "duration"
            return Value(kind, value.sources)
        if value.kind == "options":
            return COUNT
        return UNKNOWN if value.kind == "unknown" else self.spoil(value)

    # ---- Comprehensions and loops

    def item_of(self, node):
        """What a loop over that gives."""
        if isinstance(node, ast.Call) and not node.keywords:
            name = self.meaning(node.func)
            if name == "range":
                self.spoil(*[self.value(argument) for argument in node.args])
                return COUNT
            if name == "enumerate" and node.args:
                self.spoil(*[self.value(argument) for argument in node.args[1:]])
                item = self.item_of(node.args[0])
                return Value("group", item.sources, (COUNT, item))
            if name == "zip":
                parts = tuple(self.item_of(argument) for argument in node.args)
                return Value("group", together(parts), parts)
        value = self.value(node)
        kind = {"durations": "duration", "texts": "text", "unknown": "unknown"}.get(value.kind)
        is_sure = kind == "unknown" or not self.is_trusted
        return Value(kind, value.sources) if kind and is_sure else self.spoil(value)

    def of_comprehension(self, node):
        for part in node.generators:
            self.bind(part.target, self.item_of(part.iter))
            self.spoil(*[self.value(test) for test in part.ifs])
        value = self.value(node.elt)
        kind = {"duration": "durations", "text": "texts", "unknown": "unknown"}.get(value.kind)
        return Value(kind, value.sources) if kind else self.spoil(value)

    of_ListComp = of_GeneratorExp = of_comprehension

    def of_DictComp(self, node):
        for part in node.generators:
            self.bind(part.target, self.item_of(part.iter))
            self.spoil(*[self.value(test) for test in part.ifs])
        return self.spoil(self.value(node.key), self.value(node.value))

    def of_SetComp(self, node):
        return self.spoil(self.of_comprehension(node))

    def of_Lambda(self, node):
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.spoil(self.value(default))
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                self.give((node, argument.arg), PLAIN)
        return self.spoil(self.value(node.body))

    # ---- Calls

    def of_Call(self, node):
        source = self.reading_of(node)
        if source is not None:
            return source
        function = self.own_function(node.func)
        if function is not None and self.is_script:
            return self.call_own(node, function)
        arguments = [self.value(argument) for argument in node.args]
        words = {word.arg: self.value(word.value) for word in node.keywords}
        name = self.meaning(node.func)
        if name:
            if name == "divmod" and not (node.args and is_part_of_times(node.args[-1])):
                return self.spoil(*arguments)
            return self.call_named(name, arguments, words)
        if isinstance(node.func, ast.Attribute):
            return self.call_method(node.func, arguments, words)
        self.children(node.func)
        return self.spoil(*arguments, *words.values(), self.value(node.func))

    def reading_of(self, node):
        """The value of a call of a clock; None for another one."""
        name = self.meaning(node.func)
        if node.keywords and name in TEXTS_OF_DATES:
            return None
        kind = None
        if name in CLOCKS and not node.args:
            kind = "reading"
        elif name in IDS and not node.args:
            kind = "id"
        elif name in DATES:
            kind = "date"
            self.spoil(*[self.value(argument) for argument in node.args])
        elif name in TEXTS_OF_DATES and len(node.args) == TEXTS_OF_DATES[name]:
            kind = "text"
            self.spoil(*[self.value(argument) for argument in node.args])
        if kind is None:
            return None
        self.sources[node] = name
        return Value(kind, frozenset([node]))

    def call_own(self, node, function):
        """What it is given, its parameters have; what it returns, the call has."""
        names = [argument.arg for argument in [*function.args.posonlyargs, *function.args.args]]
        is_plain = len(node.args) <= len(names)
        is_plain &= not any(isinstance(argument, ast.Starred) for argument in node.args)
        is_plain &= all(word.arg for word in node.keywords)
        if not is_plain:
            self.children(node)
            for argument in ast.walk(function.args):
                if isinstance(argument, ast.arg):
                    self.give((function, argument.arg), PLAIN)
            return self.spoil(self.held.get((function, "return"), UNKNOWN))
        for name, argument in zip(names, node.args):
            self.give((function, name), self.value(argument))
        for word in node.keywords:
            self.give((function, word.arg), self.value(word.value))
        return self.held.get((function, "return"), self.missing)

    def call_named(self, name, arguments, words):
        of_clock = [value for value in [*arguments, *words.values()] if is_of_clock(value)]
        if not of_clock:
            if name in KNOWN_FUNCTIONS and any(value.kind == "unknown" for value in arguments):
                return UNKNOWN
            return COUNT if name in ("len", "int") else PLAIN
        kind = self._kind_of_call(name, arguments, words)
        if kind is None:
            return self.spoil(*of_clock)
        if kind == "plain":
            return COUNT
        made = Value(kind, together(of_clock))
        return Value("group", made.sources, (made, made)) if name == "divmod" else made

    def _kind_of_call(self, name, arguments, words):
        kinds = [value.kind for value in arguments]
        if name in TEXT_FUNCTIONS:
            return "text" if are_shown(arguments) and are_shown(words.values()) else None
        if name in TIMES_OF_NUMBERS:
            return self._kind_of_time(name, [*kinds, *(value.kind for value in words.values())])
        if words:
            return None
        if name in FUNCTIONS_OF_LISTS and kinds[:1] == ["durations"]:
            return FUNCTIONS_OF_LISTS[name]
        if self.is_trusted and name not in ("float", "round", "str"):
            return None
        return self._kind_of_number(name, kinds) if name in FUNCTIONS_OF_NUMBERS else None

    @staticmethod
    def _kind_of_number(name, kinds):
        if name in ("round", "int", "float") and kinds[0] in ("reading", "scaled"):
            return "scaled"
        return "duration" if set(kinds) <= {"duration", *NUMBERS} else None

    @staticmethod
    def _kind_of_time(name, kinds):
        wanted = TIMES_OF_NUMBERS[name]
        given = {kind for kind in kinds if kind not in WITHOUT_CLOCK}
        return wanted.get(next(iter(given))) if len(given) == 1 else None

    def call_meter(self, meter, given):
        """What it is handed, it holds: durations, or nothing of a clock."""
        for value in given:
            if value.kind == "duration":
                self.give(meter, value)
            elif is_of_clock(value):
                self.spoil(value)
        return self.held.get(meter, PLAIN)

    def call_method(self, function, arguments, words):
        meter = self.meter_of(function.value)
        if meter is not None:
            return self.call_meter(meter, [*arguments, *words.values()])
        value = self.value(function.value)
        given = [*arguments, *words.values()]
        of_clock = [argument for argument in given if is_of_clock(argument)]
        name = function.attr
        if value.kind == "unknown":
            return Value("unknown", together(of_clock))
        if name == "parse_args" and not of_clock:
            return OPTIONS
        if name in ("size", "numel") and not is_of_clock(value):
            return self.spoil(*of_clock) and COUNT
        if name in ("format", "join") and isinstance(function.value, ast.Constant):
            return self._text_of_all(given, of_clock)
        kind = self._kind_of_method(value.kind, name)
        if kind is None or (of_clock and value.kind != "text"):
            return self.spoil(value, *of_clock)
        return Value(kind, value.sources | together(of_clock))

    def _text_of_all(self, given, of_clock):
        if not of_clock:
            return PLAIN
        if all(may_be_shown(value) for value in of_clock):
            return Value("text", together(given))
        return self.spoil(*of_clock)

    @staticmethod
    def _kind_of_method(kind, name):
        if kind == "date":
            return DATE_METHODS.get(name)
        if kind == "text":
            return "text" if name in TEXT_METHODS else None
        if kind == "durations":
            return LIST_METHODS.get(name)
        return "duration" if kind == "duration" and name == "total_seconds" else None
