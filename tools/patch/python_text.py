"""The text of a Python file, and where its parts stand in it.

An edit is a place in the text, so that all that is not edited stays byte by byte: the encoding, a
byte-order mark, the ends of lines. Python's parser tells places by lines and by bytes of UTF-8;
here they are numbers of characters.
"""

import re
import tokenize


class PythonText:
    """`starts`: where each line begins; the first one behind a byte-order mark."""

    def __init__(self, path):
        with open(path, "rb") as file:
            encoding = tokenize.detect_encoding(file.readline)[0]
            self.encoding = encoding.replace("-sig", "")  # a byte-order mark is kept
            file.seek(0)
            self.text = file.read().decode(self.encoding)
        line_ends = re.finditer(r"\r\n|\n|\r", self.text)
        self.starts = [int(self.text.startswith("\ufeff"))] + [end.end() for end in line_ends]

    @property
    def code(self):
        return self.text[self.starts[0] :]

    def span(self, node):
        """Where it begins and ends in the text."""
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

    def start_of_line(self, line):
        """Lines count from 0 here; behind the last one the text ends."""
        return [*self.starts, len(self.text)][line]
