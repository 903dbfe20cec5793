"""How the lines look that a file prints times in: regular expressions, a group around one time each.

`print(f"epoch {n}: loss {loss:.4f}, {seconds:.1f}s")` prints `^epoch -?\\d+: loss NUMBER, (NUMBER)s$`.
A comparison of runs passes over what is in the group, if the run took as long, and over nothing
else. So a form is strict. The time is a difference of two readings, or a number of things by one
(then its unit says so), and neither leads elsewhere. Where the line begins or ends must follow from
the form alone. And no other text of the file may look like it.
"""

import ast
import re
from itertools import chain, filterfalse, takewhile
from typing import NamedTuple

from calls import METHODS_OF_LOGGERS, SHOWING_FUNCTIONS
from formatters import writes_json
from nodes import has_star, is_no_star, only, text_of, words_of

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
COUNT = r"\s*-?\d+\s*"
ANY_NUMBER = r"\s*[-+]?(?:\d[\d.,]*(?:e[-+]?\d+)?|nan|inf)\s*%?"
ANYTHING = r".*?"
SPECIFIER = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])")
UNITS = re.compile(r" ?(?:secs?|seconds|ms|us|min|m|s|h)?(?![\w/])")
RATE_UNITS = re.compile(r" ?(?:[a-z]+/s(?:ec(?:ond)?)?|fps|[a-z]+ per sec(?:ond)?)\b")
BEFORE_TIMES = " =:([,|"
END_OF_POSTFIX = r"(?=[,\]]|$)"  # of a bar's: `[00:01<00:02, 8.1it/s, loss=0.5, seconds=0.2]`
END_OF_MESSAGE = r'(?:$|(?="[,}]))'  # in JSON, which a formatter of the file's writes
LEAST_LETTERS = 3
MOST_FIELDS = 8
MOST_UNCLEAR = 2  # fields that may hold any text: each makes a search longer

PATTERNS_OF_SPECS = {"d": COUNT, **dict.fromkeys("fegFEG%", ANY_NUMBER)}
PATTERNS_OF_KINDS = {"count": ANY_NUMBER, "constant": ANY_NUMBER}


class Fixed(str):
    """A text that stands in the file."""


class Field(NamedTuple):
    """What stands in the place of a value."""

    pattern: str
    kind: str = ""  # "duration" or "rate" of a time


class Form(NamedTuple):
    fixed: tuple  # texts, one more than fields
    fields: tuple
    is_whole_line: bool  # a logger has something of its own in front
    end: str = "$"

    def pattern(self, place):
        around = [f"(?:{field.pattern})" for field in self.fields]
        around[place] = rf"\s*({self.fields[place].pattern})"
        begin = "^" if self.is_whole_line else r"(?:^|(?<=[\s\]:|>\"-]))"
        parts = [re.escape(self.fixed[0])]
        for pattern, text in zip(around, self.fixed[1:]):
            parts += [pattern, re.escape(text)]
        return begin + "".join(parts) + self.end

    def example(self):
        return "7".join(self.fixed)

    def places_of_times(self):
        times = [place for place, field in enumerate(self.fields) if field.kind]
        return filter(self.is_strict, times)

    def has_time_of(self, other, place):
        """True if it is of the same texts, and has a time there too."""
        return self.fixed == other.fixed and bool(self.fields[place].kind)

    def is_strict(self, place):
        """It has words, one side of the time is clear, and the time's unit fits."""
        letters = sum(map(str.isalpha, "".join(self.fixed)))
        units = RATE_UNITS if self.fields[place].kind == "rate" else UNITS
        is_worded = letters >= LEAST_LETTERS and units.match(self.fixed[place + 1]) is not None
        return is_worded and self._is_clear(place) and self._is_apart(place)

    def _is_clear(self, place):
        unclear = [field.pattern == ANYTHING for field in self.fields]
        is_short = len(unclear) <= MOST_FIELDS and sum(unclear) <= MOST_UNCLEAR
        return is_short and not (any(unclear[:place]) and any(unclear[place + 1 :]))

    def _is_apart(self, place):
        """No other field touches the time, nor a word in front of it."""
        before, behind = self.fixed[place : place + 2]
        is_last = place == len(self.fields) - 1
        return (is_last or behind != "") and (before == "" or before[-1] in BEFORE_TIMES)


def _example_of_joined(node):
    return "".join(text_of(part) or "7" for part in node.values)


def _example_of_text(node):
    return SPECIFIER.sub("7", re.sub(r"\{[^{}]*\}", "7", node.value))


class Formats:
    """Of a tree whose flow is known, and trusted."""

    def __init__(self, flow):
        self.flow = flow
        self.forms = []
        self.known = set()  # the texts in them
        self.end_of_message = self._end_of_message()
        values = [node.value for node in flow.scopes.of(ast.Expr)]
        for call in only(values, ast.Call):
            self._add(call)
        self.texts = list(self._other_texts())  # each as it may be printed

    def patterns(self):
        for form in self.forms:
            for place in form.places_of_times():
                if self._is_one(form, place):
                    yield form.pattern(place)

    def _is_one(self, form, place):
        """No other text of the file looks like it, and no form like it has something else there."""
        pattern = re.compile(form.pattern(place))
        others = [other.example() for other in self.forms if not other.has_time_of(form, place)]
        return not any(map(pattern.search, [*others, *self.texts]))

    def _other_texts(self):
        """The lines of the texts that are no argument of a print which is known."""
        scopes = self.flow.scopes
        joined = map(_example_of_joined, set(scopes.of(ast.JoinedStr)) - self.known)
        plain = filterfalse(self._is_part_of_text, set(scopes.texts()) - self.known)
        examples = [*joined, *map(_example_of_text, plain)]
        return chain(*(example.split("\n") for example in examples))

    def _is_part_of_text(self, node):
        return isinstance(self.flow.scopes.parents[node], (ast.JoinedStr, ast.FormattedValue))

    # ---- What a call prints: texts, and fields between them

    def _add(self, call):
        if self.flow.meaning(call.func) in SHOWING_FUNCTIONS:
            return self._add_print(call)
        add = self.METHODS.get(getattr(call.func, "attr", ""), Formats._add_nothing)
        return add(self, call)

    def _add_nothing(self, call):
        """What it prints, if it prints, is not known."""

    def _add_print(self, call):
        if words_of(call) <= {"flush", "file"} and not has_star(call.args):
            self._add_lines(self._joined(call.args), True)

    def _add_log(self, call):
        if call.args and not call.keywords:
            text, *values = call.args
            pieces = self._of_specifiers(text, values) if values else self._pieces(text)
            self._add_lines(pieces, False, self.end_of_message)

    def _end_of_message(self):
        classes = self.flow.scopes.of(ast.ClassDef)
        writers = filter(self.flow.is_of_logging, classes)
        return END_OF_MESSAGE if any(map(writes_json, writers)) else "$"

    def _add_postfix(self, call):
        """`bar.set_postfix(loss=loss, seconds=seconds)`: each stands for itself."""
        words = [] if call.args else call.keywords
        for word in words:
            if word.arg is not None:
                line = [Fixed(f"{word.arg}="), *self._pieces(word.value)]
                self._add_line(line, False, END_OF_POSTFIX)

    METHODS = {**dict.fromkeys(METHODS_OF_LOGGERS, _add_log), "set_postfix": _add_postfix}

    def _add_lines(self, pieces, is_whole_line, end="$"):
        for line in self._lines(pieces):
            self._add_line(line, is_whole_line, end)

    def _add_line(self, line, is_whole_line, end="$"):
        fixed, fields = [""], []
        for piece in line:
            if isinstance(piece, Fixed):
                fixed[-1] += piece
            else:
                fields.append(piece)
                fixed.append("")
        self.forms.append(Form(tuple(fixed), tuple(fields), is_whole_line, end))

    @staticmethod
    def _lines(pieces):
        lines = [[]]
        for piece in pieces:
            if not isinstance(piece, Fixed):
                lines[-1].append(piece)
                continue
            first, *others = piece.split("\n")
            lines[-1].append(Fixed(first))
            lines += [[Fixed(text)] for text in others]
        return lines

    def _joined(self, arguments):
        pieces = []
        for argument in arguments:
            pieces += [*self._pieces(argument), Fixed(" ")]
        return pieces[:-1]

    def _pieces(self, node):
        rule = self.RULES.get(type(node), Formats._of_value)
        return rule(self, node)

    def _of_value(self, node):
        return [self._field(node, "")]

    def _of_constant(self, node):
        self.known.add(node)
        return [Fixed(node.value)]

    def _of_joined_str(self, node):
        self.known.add(node)
        return [piece for part in node.values for piece in self._pieces(part)]

    def _of_formatted_value(self, node):
        """By the last letter of a format: "f" of `{x:.2f}`."""
        parts = getattr(node.format_spec, "values", [])
        spec = text_of(parts[0]) if len(parts) == 1 else None
        return [self._field(node.value, (spec or "")[-1:])]

    def _of_operation(self, node):
        if not isinstance(node.op, ast.Mod):
            return self._of_value(node)
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return self._of_specifiers(node.left, values)

    RULES = {
        ast.Constant: _of_constant,
        ast.JoinedStr: _of_joined_str,
        ast.FormattedValue: _of_formatted_value,
        ast.BinOp: _of_operation,
    }

    def _of_specifiers(self, text, values):
        """`"%d: %.1f s"` with its values."""
        if text_of(text) is None:
            return [Field(ANYTHING)]
        self.known.add(text)
        left = takewhile(is_no_star, values)
        first, *others = SPECIFIER.split(text.value)
        pieces = [Fixed(first)]
        for spec, behind in zip(others[::2], others[1::2]):
            pieces += [self._of_specifier(spec, left), Fixed(behind)]
        return pieces

    def _of_specifier(self, spec, values):
        if spec == "%":
            return Fixed("%")
        value = next(values, None)
        return Field(ANYTHING) if value is None else self._field(value, spec[-1])

    def _field(self, node, spec):
        value = self.flow.value(node)
        is_time = value.kind in ("duration", "rate") and bool(value.sources)
        if is_time and value.sources.isdisjoint(self.flow.spoiled_before):
            return Field(NUMBER, value.kind)
        return Field(PATTERNS_OF_SPECS.get(spec) or PATTERNS_OF_KINDS.get(value.kind, ANYTHING))
