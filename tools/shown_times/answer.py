"""Says which lines of files read clocks that are only shown."""

import ast
import os

from flow import Flow, kept_lines, shown_lines
from formats import Formats


def imports_neighbour(tree, path):
    """True if the file imports one of its folder or of those around it, up to its project's."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            return True
        if isinstance(node, ast.ImportFrom):
            names.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
    places = [os.path.join(folder, name) for folder in folders_around(path) for name in names]
    return any(os.path.isdir(place) or os.path.exists(place + ".py") for place in places)


def folders_around(path):
    folder = os.path.dirname(os.path.abspath(path))
    for _ in range(4):
        yield folder
        yield os.path.join(folder, "src")
        if any(os.path.exists(os.path.join(folder, end)) for end in (".git", "pyproject.toml")):
            return
        folder = os.path.dirname(folder)


def tree_of(path):
    """None for a file that cannot be read."""
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return None


def flow_of(path, is_script):
    tree = tree_of(path)
    try:
        alone = tree is not None and not imports_neighbour(tree, path)
        return Flow(tree, is_script, alone) if tree is not None else None
    except (RecursionError, MemoryError):
        return None


def lines_of(path, lines, is_script):
    flow = flow_of(path, is_script)
    return shown_lines(flow, lines) if flow is not None else []


def formats_of(path):
    tree = tree_of(path)
    if tree is None:
        return []
    try:
        flow = Flow(tree, is_script=True, is_trusted=True)
        return list(Formats(flow).patterns()) if flow.is_known else []
    except (RecursionError, MemoryError):
        return []


def answer(words):
    """`words`: "lines" and of each file its name, "script" or "module", and its lines, "12,30". Prints
    "shown 0 12" for line 12 of the first one, and "kept 0 7" for one that takes a time which a
    library keeps. Or "formats" and the same: prints the patterns, a line each."""
    for number in range(len(words) // 3):
        path, kind, lines = words[3 * number + 1 : 3 * number + 4]
        if words[0] == "formats":
            for pattern in formats_of(path):
                print(pattern)
            continue
        flow = flow_of(path, kind == "script")
        if flow is None:
            continue
        for line in shown_lines(flow, [int(line) for line in lines.split(",") if line]):
            print("shown", number, line)
        for line in sorted(set(kept_lines(flow))):
            print("kept", number, line)
