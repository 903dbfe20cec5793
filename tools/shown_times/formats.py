"""How what is printed looks, where times are in it: regular expressions, a group around each time.

`print(f"epoch {n}: loss {loss:.4f}, {seconds:.1f}s")` prints lines of the form
`epoch .*?: loss .*?, (NUMBER)s`. A comparison of runs passes over what is in the group, and over
nothing else. A form needs letters of its own, and no other print of the file may have it with a
result in the group's place.
"""

import ast
import re

from calls import METHODS_OF_LOGGERS, SHOWING_FUNCTIONS
from values import is_of_clock

NUMBER = r"\s*[-+]?\d[\d.:,]*(?:e[-+]?\d+)?\s*"
ANYTHING = r".*?"
TEXT = r"\S.*?"
SPECIFIER = re.compile(r"%(%|[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])")
LEAST_LETTERS = 3


class Fixed(str):
    """A text that stands in the file."""


class Formats:
    """Of a tree whose flow is known."""

    def __init__(self, flow):
        self.flow = flow
        self.forms = {}  # by the fixed texts: what stands between them in each print of that form
        for node in flow.scopes.parents:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self._add(node.value)
                self._add_postfix(node.value)

    def patterns(self):
        """One for each time of each form."""
        for fixed, prints in self.forms.items():
            if sum(letter.isalnum() for text in fixed for letter in text) < LEAST_LETTERS:
                continue
            for place in range(len(fixed) - 1):
                kinds = {fields[place] for fields in prints}
                if len(kinds) == 1 and kinds <= {NUMBER, TEXT}:
                    yield self._pattern(fixed, prints[0], place)

    @staticmethod
    def _pattern(fixed, fields, place):
        parts = [re.escape(fixed[0])]
        for number, (field, text) in enumerate(zip(fields, fixed[1:])):
            parts.append(f"({field})" if number == place else f"(?:{field})")
            parts.append(re.escape(text))
        is_open = fixed[-1] == "" and fields[-1] != NUMBER  # up to the end of the line
        return "".join(parts) + ("$" if is_open else "")

    # ---- What a call prints: texts, and fields between them

    def _add_postfix(self, call):
        """`bar.set_postfix(loss=loss, seconds=seconds)`: each stands for itself."""
        if getattr(call.func, "attr", "") == "set_postfix":
            for word in call.keywords:
                if word.arg is not None:
                    fixed = (f" {word.arg}=", "")
                    self.forms.setdefault(fixed, []).append((self._field(word.value),))

    def _add(self, call):
        for line in self._lines(self._pieces_of_call(call) or []):
            fixed, fields = [""], []
            for piece in line:
                if isinstance(piece, Fixed):
                    fixed[-1] += piece
                else:
                    fields.append(piece)
                    fixed.append("")
            if fields:
                self.forms.setdefault(tuple(fixed), []).append(tuple(fields))

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
        """None for what prints nothing, or in a way that is not followed."""
        name = self.flow.meaning(call.func)
        if name in SHOWING_FUNCTIONS:
            if any(word.arg not in ("flush", "file") for word in call.keywords):
                return None
            return self._joined(call.args)
        is_logger = getattr(call.func, "attr", "") in METHODS_OF_LOGGERS
        if not is_logger or not call.args or any(word.arg is None for word in call.keywords):
            return None
        if len(call.args) == 1:
            return self._pieces(call.args[0])
        return self._of_specifiers(call.args[0], call.args[1:])

    def _joined(self, arguments):
        pieces = []
        for number, argument in enumerate(arguments):
            pieces += [Fixed(" ")] if number else []
            pieces += self._pieces(argument)
        return pieces

    def _pieces(self, node):
        if isinstance(node, ast.Constant):
            return [Fixed(node.value)]
        if isinstance(node, ast.JoinedStr):
            return [piece for part in node.values for piece in self._pieces(part)]
        if isinstance(node, ast.FormattedValue):
            return [self._field(node.value)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return self._of_specifiers(node.left, values)
        return [self._field(node)]

    def _of_specifiers(self, text, values):
        """`"%d: %.1f s"` with its values."""
        if not isinstance(getattr(text, "value", None), str):
            return [ANYTHING]
        pieces, at, left = [], 0, list(values)
        for found in SPECIFIER.finditer(text.value):
            pieces.append(Fixed(text.value[at : found.start()]))
            at = found.end()
            if found[1] == "%":
                pieces.append(Fixed("%"))
            else:
                pieces.append(self._field(left.pop(0)) if left else ANYTHING)
        return [*pieces, Fixed(text.value[at:])]

    def _field(self, node):
        value = self.flow.value(node)
        if not is_of_clock(value):
            return ANYTHING
        return NUMBER if value.kind in ("duration", "id") else TEXT
