"""A unified diff of a file, as `patch` and git apply it, with the reasons in front."""

import collections
import difflib
import os
import re


def diff_of(file, new):
    """For a text that is another one; in the encoding of the file."""
    name = file.shown + ("\t" if " " in file.shown else "")
    texts = map(_lines_of, (file.text, new))
    before, after, *hunks = difflib.unified_diff(*texts, "a/" + name, "b/" + name)
    yield os.fsencode("".join([*_reasons(file), before, after]))
    yield "".join(map(_with_end, hunks)).encode(file.encoding)


def _reasons(file):
    """One line for each, with all the places that it stands for."""
    lines = collections.defaultdict(dict)
    for place, edit in file.edits.in_order():
        lines[edit.reason()][str(file.line_of(place[0]))] = True
    return [f"# {file.shown}:{', '.join(those)}: {reason}\n" for reason, those in lines.items()]


def _lines_of(text):
    """With their ends. A carriage return ends no line for diff."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _with_end(line):
    return line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
