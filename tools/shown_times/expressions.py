"""What expressions give: the kind of a value, and the readings that it is made of.

Each type of node has a rule, `of_<type>`, and what no rule speaks of spoils the readings that come
into it. What a function makes of times is known by its name (calls.py), what an operator makes of
them by a table (values.py). What a function of the file gives is known where the file is a script,
whose calls are all seen; of a method nobody knows whose it is, but for what a meter holds.
"""

import ast

from calls import (
    ARGUMENTS_OF_READINGS,
    ATTRIBUTES,
    KEPT_ATTRIBUTES,
    KEPT_KEYS,
    KEPT_OF_RECORDS,
    METHODS,
    READINGS,
    TEXT_FUNCTIONS,
    TIMES_OF_NUMBERS,
)
from names_of_file import Names
from nodes import defaults, given_to, has_star, is_read, parameters, parameters_by_place, text_of
from values import (
    ARITHMETIC,
    CONSTANT,
    COUNT,
    KNOWN_FUNCTIONS,
    NUMBERS,
    OPTIONS,
    PLAIN,
    STRICT_ARITHMETIC,
    TIMES,
    UNKNOWN,
    WITHOUT_CLOCK,
    Value,
    are_shown,
    is_known,
    is_part_of_times,
    kind_of_operand,
    kinds_of,
    of_clock,
    only_one,
    plain_of,
    together,
    without_clock,
)

DURATIONS = {"duration", *NUMBERS}
IDENTITY = {ast.Is, ast.IsNot}
SIGNS = (ast.UAdd, ast.USub)

# The kind of a list by the kind of its items, and the other way round.
LISTS_OF = {"duration": "durations", "text": "texts", "unknown": "unknown"}
ITEMS_OF = {"durations": "duration", "texts": "text", "unknown": "unknown"}

# Numbers that functions and methods give whose arguments have no clock.
GIVEN_BY_FUNCTIONS = {"int": COUNT, "len": COUNT}
GIVEN_BY_METHODS = {"numel": COUNT, "parse_args": OPTIONS, "size": COUNT}


class Expressions(Names):
    """Finds the value of an expression, and spoils what it uses up."""

    def __init__(self, tree, is_script, is_alone=True, is_trusted=False):
        super().__init__(tree, is_script, is_alone, is_trusted)
        self.arithmetic = STRICT_ARITHMETIC if is_trusted else ARITHMETIC
        of_records = KEPT_OF_RECORDS if self.handles_records else set()
        self.kept = {ast.Attribute: KEPT_ATTRIBUTES | of_records, ast.Subscript: KEPT_KEYS}

    def value(self, node):
        handle = getattr(self, f"of_{type(node).__name__}", self._of_other)
        return handle(node)

    def _of_other(self, node):
        self.children(node)
        return PLAIN

    def values(self, nodes):
        return list(map(self.value, nodes))

    def use(self, nodes):
        """Spoils what they give."""
        self.spoil(*self.values(nodes))

    # ---- What is made of several values

    def gathered(self, values, kind):
        """Of that kind, if all that it is made of may be shown."""
        if not all(map(is_known, values)):
            return Value("unknown", together(values))
        times = of_clock(values)
        if not are_shown(times):
            return self.spoil(*times)
        return Value(kind, together(values)) if times else PLAIN

    def made(self, kind, *values):
        """What a rule makes of values; where none does, kind is None, and they are spoiled."""
        return self.spoil(*values) if kind is None else Value(kind, together(values))

    def part_of(self, value):
        """What a part of it is that no rule speaks of."""
        return COUNT if value.kind == "options" else self.unfollowed(value)

    # ---- Names, texts, containers

    def of_Constant(self, node):
        return PLAIN if isinstance(node.value, str) else CONSTANT

    def of_Name(self, node):
        meter = self.meter_of(node)
        if meter is not None:  # as a whole it is a text of what it holds, or a use
            return self.gathered([self.held.get(meter, PLAIN)], "text")
        key = self.scopes.key_of(node)
        scope, name = key
        if scope is None or self.scopes.imported(scope, name):
            return PLAIN
        if isinstance(scope, ast.ClassDef):  # before the body binds it, the outer one is meant
            outer = self.scopes.scope_with(scope, name)
            self.spoil(self.held.get((outer, name), PLAIN))
        return self.held.get(key, self.missing)

    def of_NamedExpr(self, node):
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def of_Tuple(self, node):
        parts = tuple(self.values(node.elts))
        return self.spoil(*parts) if has_star(node.elts) else Value("group", together(parts), parts)

    def of_List(self, node):
        if not node.elts:
            return CONSTANT
        values = self.values(node.elts)
        times = of_clock(values)
        kind = LISTS_OF.get(only_one(kinds_of(times)))
        if kind == "texts" or (kind == "durations" and len(times) == len(values)):
            return self.gathered(values, kind)
        self.spoil(*times)
        return self.gathered(without_clock(values), "texts")

    def of_Dict(self, node):
        self.use(filter(None, node.keys))  # None: another dict
        return self.gathered(self.values(node.values), "record")

    def of_JoinedStr(self, node):
        return self.gathered(self.values(node.values), "text")

    def of_FormattedValue(self, node):
        if node.format_spec is not None:
            self.use([node.format_spec])
        return self.gathered([self.value(node.value)], "text")

    # ---- Operators

    def of_UnaryOp(self, node):
        value = self.value(node.operand)
        is_number = isinstance(node.op, SIGNS) and value.kind in DURATIONS
        return value if is_number else self.spoil(value)

    def of_IfExp(self, node):
        self.use([node.test])
        return self.joined(self.values([node.body, node.orelse]))

    def of_BinOp(self, node):
        left, right = self.values([node.left, node.right])
        text = text_of(node.left) if isinstance(node.op, ast.Mod) else None
        if text is not None and "*" not in text:
            return self.gathered([left, right], "text")
        if isinstance(node.op, ast.Div) and right.kind == "duration" and self._is_guarded(node):
            return self.spoil(left, right)  # a clock that is too coarse leads elsewhere
        return self.operate(node.op, left, right, node.right)

    def _is_guarded(self, node):
        return self.scopes.nearest(node, ast.Try, ast.With, ast.Module) is not self.tree

    def operate(self, operator, left, right, right_node=None):
        values = [left, right]
        if not all(map(is_known, values)):
            return Value("unknown", together(values))
        if not of_clock(values):
            return plain_of(values)
        operand = kind_of_operand(right, right_node)
        kind = self.arithmetic.operations.get((type(operator), left.kind, operand))
        return self.made(None if self._are_of_two_clocks(left, right) else kind, left, right)

    def _are_of_two_clocks(self, left, right):
        """What two clocks differ by is no duration."""
        clocks = {self.sources[source] for source in left.sources | right.sources}
        return left.kind in TIMES and len(clocks) != 1

    def of_Compare(self, node):
        """Whether there is a time, tells nothing of it."""
        values = self.values([node.left, *node.comparators])
        is_identity = IDENTITY.issuperset(map(type, node.ops))
        is_of_none = any(getattr(part, "value", ...) is None for part in node.comparators)
        return PLAIN if is_identity and is_of_none else self.spoil(*values)

    # ---- Parts

    def of_Attribute(self, node):
        meter = self.meter_of(node.value)
        if meter is not None:
            return self.held.get(meter, PLAIN)
        value = self.value(node.value)
        if self.is_kept(node):
            self.spoil(value)
            return self._kept_time(node, "reading")
        if self.is_followed_attribute(node):
            self.spoil(value)
            return self.held.get(("attribute", node.attr), self.missing)
        kind = ATTRIBUTES.get(value.kind, {}).get(node.attr)
        return Value(kind, value.sources) if kind else self.part_of(value)

    def is_kept(self, node):
        """What a library has measured: `model.total_train_time`, `record.created`, and
        `search.cv_results_["mean_fit_time"]`."""
        name = node.attr if isinstance(node, ast.Attribute) else text_of(node.slice)
        return not self.is_trusted and is_read(node) and name in self.kept[type(node)]

    def _kept_time(self, node, kind):
        self.sources[node] = "kept"
        return Value(kind, frozenset([node]))

    def of_Subscript(self, node):
        value = self.value(node.value)
        if self.is_kept(node):
            self.spoil(value)
            return self._kept_time(node, "durations")
        if isinstance(node.slice, ast.expr):
            self.use([node.slice])
        if value.kind == "durations":
            return value if isinstance(node.slice, ast.Slice) else self.made("duration", value)
        place = getattr(node.slice, "value", None)  # in Python 3.8 an ast.Index is around it
        place = getattr(place, "value", place)
        part = dict(enumerate(value.parts)).get(place)
        return self.part_of(value) if part is None else part

    # ---- Comprehensions and loops

    def item_of(self, node):
        """What a loop over that gives."""
        is_plain_call = isinstance(node, ast.Call) and not node.keywords
        loop = self.LOOPS.get(self.meaning(node.func)) if is_plain_call else None
        return loop(self, node.args) if loop else self._item_of_value(self.value(node))

    def _item_of_value(self, value):
        kind = ITEMS_OF.get(value.kind)
        is_sure = kind == "unknown" or not self.is_trusted
        return self.made(kind if is_sure else None, value)

    def _item_of_range(self, arguments):
        self.use(arguments)
        return COUNT

    def _item_of_enumerate(self, arguments):
        self.use(arguments[1:])
        items = [self.item_of(argument) for argument in arguments[:1]]
        return Value("group", together(items), (COUNT, *items))

    def _item_of_zip(self, arguments):
        items = tuple(self.item_of(argument) for argument in arguments)
        return Value("group", together(items), items)

    LOOPS = {"range": _item_of_range, "enumerate": _item_of_enumerate, "zip": _item_of_zip}

    def _bind_generators(self, node):
        for part in node.generators:
            self.bind(part.target, self.item_of(part.iter))
            self.use(part.ifs)

    def of_comprehension(self, node):
        self._bind_generators(node)
        value = self.value(node.elt)
        return self.made(LISTS_OF.get(value.kind), value)

    of_ListComp = of_GeneratorExp = of_comprehension

    def of_DictComp(self, node):
        self._bind_generators(node)
        return self.spoil(*self.values([node.key, node.value]))

    def of_SetComp(self, node):
        return self.spoil(self.of_comprehension(node))

    def of_Lambda(self, node):
        self.use(defaults(node))
        self._hide_parameters(node)
        return self.spoil(self.value(node.body))

    def _hide_parameters(self, function):
        """Whoever calls it is not seen."""
        for parameter in parameters(function):
            self.give((function, parameter.arg), PLAIN)

    # ---- Calls

    def of_Call(self, node):
        name = self.meaning(node.func)
        if self._is_reading(name, node):
            return self._reading(name, node)
        function = self.own_function(node.func)
        if function is not None:
            return self.call_own(node, function)
        arguments = self.values(node.args)
        words = [self.value(word.value) for word in node.keywords]
        if name:
            return self.call_named(name, node, arguments, words)
        if isinstance(node.func, ast.Attribute):
            return self.call_method(node.func, [*arguments, *words])
        self.children(node.func)
        return self.spoil(*arguments, *words, self.value(node.func))

    @staticmethod
    def _is_reading(name, call):
        """With other arguments it may tell of a time that it is given."""
        count = len(given_to(call))
        return name in READINGS and ARGUMENTS_OF_READINGS.get(name, count) == count

    def _reading(self, name, call):
        self.use(call.args)
        self.sources[call] = name
        return Value(READINGS[name], frozenset([call]))

    def call_own(self, node, function):
        """What it is given, its parameters have; what it returns, the call has."""
        names = [parameter.arg for parameter in parameters_by_place(function)]
        words = {word.arg: word.value for word in node.keywords}
        if len(node.args) > len(names) or has_star(node.args) or None in words:
            self.children(node)
            self._hide_parameters(function)
            return self.spoil(self.held.get((function, "return"), UNKNOWN))
        for name, argument in [*zip(names, node.args), *words.items()]:
            self.give((function, name), self.value(argument))
        return self.held.get((function, "return"), self.missing)

    def call_named(self, name, node, arguments, words):
        values = [*arguments, *words]
        times = of_clock(values)
        if not times:
            is_open = name in KNOWN_FUNCTIONS and not all(map(is_known, arguments))
            return UNKNOWN if is_open else GIVEN_BY_FUNCTIONS.get(name, PLAIN)
        if name in TEXT_FUNCTIONS:
            return self.gathered(values, "text")
        if name in TIMES_OF_NUMBERS:
            kind = TIMES_OF_NUMBERS[name].get(only_one(kinds_of(values) - WITHOUT_CLOCK))
        else:
            kind = None if words else self._kind_of_number(name, node.args, arguments)
        return self.spoil(*times) if kind is None else self._made_by(name, kind, times)

    @staticmethod
    def _made_by(name, kind, times):
        if kind == "plain":
            return COUNT
        made = Value(kind, together(times))
        return Value("group", made.sources, (made, made)) if name == "divmod" else made

    def _kind_of_number(self, name, nodes, arguments):
        functions = self.arithmetic.functions_by_kind.get(arguments[0].kind)
        if functions is not None:
            return functions.get(name)
        is_part = name != "divmod" or is_part_of_times(nodes[-1])
        is_known = is_part and name in self.arithmetic.functions_of_durations
        return "duration" if is_known and kinds_of(arguments) <= DURATIONS else None

    def call_meter(self, meter, given):
        """What it is handed, it holds: durations, or nothing of a clock."""
        for value in of_clock(given):
            if value.kind == "duration":
                self.give(meter, value)
            else:
                self.spoil(value)
        return self.held.get(meter, PLAIN)

    def call_method(self, function, given):
        meter = self.meter_of(function.value)
        if meter is not None:
            return self.call_meter(meter, given)
        value = self.value(function.value)
        times = of_clock(given)
        name = function.attr
        if value.kind == "unknown":
            return Value("unknown", together(times))
        if name in GIVEN_BY_METHODS and not of_clock([value, *times]):
            return GIVEN_BY_METHODS[name]
        if name in ("format", "join") and isinstance(function.value, ast.Constant):
            return self.gathered(given, "text")
        kind = METHODS.get(value.kind, {}).get(name)
        takes_times = not times or value.kind == "text"
        return self.made(kind if takes_times else None, value, *times)
