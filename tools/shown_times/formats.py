"""How the lines look that a file prints times in: regular expressions, a group around one time each.

`print(f"epoch {n}: loss {loss:.4f}, {seconds:.1f}s")` prints `^epoch -?\\d+: loss NUMBER, (NUMBER)s$`.
A comparison of runs passes over what is in the group, if the run took as long, and over nothing
else. So a form is strict. The time is a difference of two readings, or a number of things by one
(then its unit says so), and neither leads elsewhere. Where the line begins or ends must follow from
the form alone. And no other text of the file may look like it.
"""

import ast
import re
from typing import NamedTuple

from calls import METHODS_OF_LOGGERS, SHOWING_FUNCTIONS

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
COUNT = r"\s*-?\d+\s*"
ANY_NUMBER = r"\s*[-+]?(?:\d[\d.,]*(?:e[-+]?\d+)?|nan|inf)\s*%?"
ANYTHING = r".*?"
SPECIFIER = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])")
UNITS = re.compile(r" ?(?:secs?|seconds|ms|us|min|m|s|h)?(?![\w/])")
RATE_UNITS = re.compile(r" ?(?:[a-z]+/s(?:ec(?:ond)?)?|fps|[a-z]+ per sec(?:ond)?)\b")
END_OF_POSTFIX = r"(?=[,\]]|$)"  # of a bar's: `[00:01<00:02, 8.1it/s, loss=0.5, seconds=0.2]`
LEAST_LETTERS = 3
MOST_FIELDS = 8
MOST_UNCLEAR = 2  # fields that may hold any text: each makes a search longer


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
        parts = [re.escape(self.fixed[0])]
        for number, (field, text) in enumerate(zip(self.fields, self.fixed[1:])):
            is_time = number == place
            parts.append(rf"\s*({field.pattern})" if is_time else f"(?:{field.pattern})")
            parts.append(re.escape(text))
        begin = "^" if self.is_whole_line else r"(?:^|(?<=[\s\]:|>-]))"
        return begin + "".join(parts) + self.end

    def is_strict(self, place):
        """One side of the time is clear, and its unit fits."""
        letters = sum(letter.isalpha() for text in self.fixed for letter in text)
        unclear = [field.pattern == ANYTHING for field in self.fields]
        if letters < LEAST_LETTERS or len(unclear) > MOST_FIELDS or sum(unclear) > MOST_UNCLEAR:
            return False
        if any(unclear[:place]) and any(unclear[place + 1 :]):
            return False
        before, behind = self.fixed[place], self.fixed[place + 1]
        is_apart = not before or before[-1] in " =:([,|"
        is_apart &= bool(behind) or place == len(self.fields) - 1
        units = RATE_UNITS if self.fields[place].kind == "rate" else UNITS
        return is_apart and units.match(behind) is not None


class Formats:
    """Of a tree whose flow is known, and trusted."""

    def __init__(self, flow):
        self.flow = flow
        self.forms = []
        self.known = set()  # the texts in them
        self.texts = []  # the others of the file, each as it may be printed
        for node in flow.scopes.parents:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self._add(node.value)
                self._add_postfix(node.value)
        for node in flow.scopes.parents:
            self._add_text(node)

    def patterns(self):
        for form in self.forms:
            for place, field in enumerate(form.fields):
                if field.kind and form.is_strict(place) and self._is_one(form, place):
                    yield form.pattern(place)

    def _is_one(self, form, place):
        """No other text of the file looks like it, and no form like it has something else there."""
        pattern = re.compile(form.pattern(place))
        for other in self.forms:
            line = "".join(
                text + value for text, value in zip(other.fixed, [*("7" for _ in other.fields), ""])
            )
            found = pattern.search(line)
            if found and not (other.fixed == form.fixed and other.fields[place].kind):
                return False
        return not any(pattern.search(text) for text in self.texts)

    def _add_text(self, node):
        """Of a text that is no argument of a print which is known: what it may look like."""
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        around = self.flow.scopes.parents.get(node)
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                part.value if isinstance(part, ast.Constant) else "7" for part in node.values
            )
        elif is_text and not isinstance(around, (ast.JoinedStr, ast.FormattedValue)):
            text = SPECIFIER.sub("7", re.sub(r"\{[^{}]*\}", "7", node.value))
        else:
            return
        if node not in self.known:
            self.texts += text.split("\n")

    # ---- What a call prints: texts, and fields between them

    def _add(self, call):
        pieces, is_whole_line = self._pieces_of_call(call)
        if pieces is None:
            return
        for line in self._lines(pieces):
            self._add_line(line, is_whole_line)

    def _add_line(self, line, is_whole_line, end="$"):
        fixed, fields = [""], []
        for piece in line:
            if isinstance(piece, Fixed):
                fixed[-1] += piece
            else:
                fields.append(piece)
                fixed.append("")
        self.forms.append(Form(tuple(fixed), tuple(fields), is_whole_line, end))

    def _add_postfix(self, call):
        """`bar.set_postfix(loss=loss, seconds=seconds)`: each stands for itself."""
        if getattr(call.func, "attr", "") != "set_postfix" or call.args:
            return
        for word in call.keywords:
            if word.arg is not None:
                line = [Fixed(f"{word.arg}="), *self._pieces(word.value)]
                self._add_line(line, False, END_OF_POSTFIX)

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

    def _pieces_of_call(self, call):
        """Its pieces, and whether they are the whole line. None for what prints nothing, or in a way
        that is not followed."""
        name = self.flow.meaning(call.func)
        if name in SHOWING_FUNCTIONS:
            is_plain = all(word.arg in ("flush", "file") for word in call.keywords)
            is_plain &= not any(isinstance(argument, ast.Starred) for argument in call.args)
            return (self._joined(call.args) if is_plain else None), True
        is_logger = getattr(call.func, "attr", "") in METHODS_OF_LOGGERS
        if not is_logger or not call.args or call.keywords:
            return None, False
        if len(call.args) == 1:
            return self._pieces(call.args[0]), False
        return self._of_specifiers(call.args[0], call.args[1:]), False

    def _joined(self, arguments):
        pieces = []
        for number, argument in enumerate(arguments):
            pieces += [Fixed(" ")] if number else []
            pieces += self._pieces(argument)
        return pieces

    def _pieces(self, node):
        if isinstance(node, ast.Constant):
            self.known.add(node)
            return [Fixed(node.value)]
        if isinstance(node, ast.JoinedStr):
            self.known.add(node)
            return [piece for part in node.values for piece in self._pieces(part)]
        if isinstance(node, ast.FormattedValue):
            return [self._field(node.value, self._spec_of(node))]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return self._of_specifiers(node.left, values)
        return [self._field(node, "")]

    @staticmethod
    def _spec_of(node):
        """The last letter of a format: "f" of `{x:.2f}`."""
        spec = getattr(node.format_spec, "values", None) or [None]
        text = getattr(spec[-1], "value", "") if len(spec) == 1 else ""
        return text[-1:] if isinstance(text, str) else ""

    def _of_specifiers(self, text, values):
        """`"%d: %.1f s"` with its values."""
        if not isinstance(getattr(text, "value", None), str):
            return [Field(ANYTHING)]
        self.known.add(text)
        pieces, at, left = [], 0, list(values)
        for found in SPECIFIER.finditer(text.value):
            pieces.append(Fixed(text.value[at : found.start()]))
            at = found.end()
            if found[1] == "%":
                pieces.append(Fixed("%"))
            else:
                is_there = bool(left) and not isinstance(left[0], ast.Starred)
                value = left.pop(0) if is_there else None
                pieces.append(self._field(value, found[1][-1]) if value else Field(ANYTHING))
        return [*pieces, Fixed(text.value[at:])]

    def _field(self, node, spec):
        value = self.flow.value(node)
        is_only_shown = not value.sources & self.flow.spoiled_before
        if value.kind in ("duration", "rate") and value.sources and is_only_shown:
            return Field(NUMBER, value.kind)
        if spec == "d":
            return Field(COUNT)
        is_number = value.kind in ("count", "constant") or spec in (
            "f",
            "e",
            "g",
            "F",
            "E",
            "G",
            "%",
        )
        return Field(ANY_NUMBER if is_number else ANYTHING)
