"""Says which lines of files read clocks that are only shown, and how the lines look that show them.

A file that cannot be read, that is nested too deeply or of which nothing is known gets no line: then
its readings count as reasons. Whether a file stands alone is told by what lies beside it.
"""

import ast
import os
from itertools import product, starmap

from flow import Flow, kept_lines, shown_lines
from formats import Formats
from nodes import IMPORTS, inside, top_modules


def imports_neighbour(tree, path):
    """True if the file imports one of its folder or of those around it, up to its project's."""
    imports = inside(tree, *IMPORTS)
    names = set().union(*map(top_modules, imports))
    places = starmap(os.path.join, product(folders_around(path), names))
    is_of_package = any(getattr(node, "level", 0) for node in imports)
    return is_of_package or any(map(is_module, places))


def is_module(place):
    return os.path.isdir(place) or os.path.exists(place + ".py")


def folders_around(path):
    folder = os.path.dirname(os.path.abspath(path))
    for _ in range(4):
        yield folder
        yield os.path.join(folder, "src")
        if any(os.path.exists(os.path.join(folder, end)) for end in (".git", "pyproject.toml")):
            return
        folder = os.path.dirname(folder)


def answers_on_lines(tree, number, path, kind, lines):
    flow = Flow(tree, kind == "script", not imports_neighbour(tree, path))
    asked = map(int, filter(None, lines.split(",")))
    shown = [f"shown {number} {line}" for line in shown_lines(flow, asked)]
    return shown + [f"kept {number} {line}" for line in sorted(set(kept_lines(flow)))]


def patterns_of(tree, *_):
    flow = Flow(tree, is_script=True, is_trusted=True)
    return list(Formats(flow).patterns()) if flow.is_known else []


ANSWERS = {"formats": patterns_of, "lines": answers_on_lines}


def tree_of(path):
    """None for a file that cannot be read."""
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return None


def answer_of_file(what, number, path, *words):
    """No line for a file that cannot be read, or that is nested too deeply."""
    try:
        tree = tree_of(path)
        return [] if tree is None else ANSWERS[what](tree, number, path, *words)
    except (RecursionError, MemoryError):
        return []


def answer(words):
    """`words`: "lines" and of each file its name, "script" or "module", and its lines, "12,30". Prints
    "shown 0 12" for line 12 of the first one, and "kept 0 7" for one that takes a time which a
    library keeps. Or "formats" and the same: prints the patterns, a line each."""
    what, *words = words
    for number, file in enumerate(zip(words[::3], words[1::3], words[2::3])):
        for line in answer_of_file(what, number, *file):
            print(line)
