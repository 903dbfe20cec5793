"""Says which lines of files read clocks that are only shown."""

import ast
import os

from flow import shown_lines


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


def lines_of(path, lines, is_script):
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
        return shown_lines(tree, lines, is_script, not imports_neighbour(tree, path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def answer(words):
    """`words`: of each file its name, "script" or "module", and its lines, "12,30". Prints "0 12" for
    line 12 of the first one."""
    for number in range(len(words) // 3):
        path, kind, lines = words[3 * number : 3 * number + 3]
        asked = [int(line) for line in lines.split(",")]
        for line in lines_of(path, asked, kind == "script"):
            print(number, line)
