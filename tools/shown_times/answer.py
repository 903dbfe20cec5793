"""Says which lines of files read clocks that are only shown."""

import ast

from flow import shown_lines


def lines_of(path, lines, is_script):
    try:
        with open(path, "rb") as file:
            return shown_lines(ast.parse(file.read()), lines, is_script)
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
