#!/usr/bin/env python3
"""Functions are simple, Python is as .ruff.toml has it, and a line of C++ has one statement.

Usage: simple_functions.py SOURCE LIZARD RUFF [--rooms]      --rooms: prints the decisions a line
of each room instead, as docs/ARCHITECTURE.md has them.
"""

import collections
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

MOST = 15
ROOMS = ("shim", "tools", "common")

# What a line of C++ holds besides its statements.
NO_CODE = re.compile(
    r"""R"(?P<end>\w*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])*'"""
    r"""|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*|requires\([^)]*\) \{[^}]*\}""",
    re.S | re.M,
)


def complexities(lizard, places):
    """The most decisions of each function name: lizard's count, with the file and line."""
    listed = subprocess.run(
        [lizard, "--csv", *places], capture_output=True, text=True, check=True
    ).stdout
    most = {}
    for row in csv.reader(listed.splitlines()):
        count, file, name, line = int(row[1]), row[6], row[7], row[9]
        if count > most.get(name, (0, ""))[0]:
            most[name] = (count, f"{file}:{line}")
    return most


def too_complex(most):
    return [
        f"{place}: {name} has a complexity of {count}, and {MOST} is the most"
        for name, (count, place) in sorted(most.items())
        if count > MOST
    ]


def room_of(file):
    """`tools/verify` of tools/verify/lines.cpp; in the library one folder deeper."""
    folders = pathlib.PurePath(file).parts[:-1]
    return "/".join(folders[: 3 if folders[0] == "shim" else 2])


def print_rooms(lizard, source):
    """(CCN - 1) / NLOC of each room's functions, and NLOC."""
    listed = subprocess.run(
        [lizard, "--csv", *ROOMS], cwd=source, capture_output=True, text=True, check=True
    ).stdout
    decisions = collections.Counter()
    lines = collections.Counter()
    for row in csv.reader(listed.splitlines()):
        for room in (room_of(row[6]), "all"):
            lines[room] += int(row[0])
            decisions[room] += int(row[1]) - 1
    for room in sorted(lines, key=lambda room: (room == "all", room)):
        print(f"{room:24} {decisions[room] / lines[room]:.2f} {lines[room]:7,}")


def statements_by_line(text):
    """How many statements end in each line: semicolons outside of the parentheses of a head."""
    code = NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    open_brackets = []
    counts = [0]
    for character in code:
        if character == "\n":
            counts.append(0)
        elif character in "({[":
            open_brackets.append(character)
        elif character in ")}]" and open_brackets:
            open_brackets.pop()
        elif character == ";" and open_brackets[-1:] != ["("]:
            counts[-1] += 1
    return counts


def crowded_lines(files):
    return [
        f"{file}:{number}: two statements in a line"
        for file in files
        for number, count in enumerate(statements_by_line(file.read_text(errors="replace")), 1)
        if count > 1
    ]


def tracked(source, *patterns):
    listed = subprocess.run(
        ["git", "-C", source, "ls-files", *patterns], capture_output=True, text=True, check=True
    ).stdout
    return [source / name for name in listed.splitlines() if (source / name).is_file()]


def is_python(path):
    if path.suffix:
        return path.suffix == ".py"
    with open(path, "rb") as file:
        return re.match(rb"#!.*python3", file.readline(200)) is not None


def ruff_complaints(ruff, source, files):
    """`--force-exclude`: what .ruff.toml leaves out stays out."""
    complaints = []
    for words in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        done = subprocess.run(
            [ruff, *words, "--no-cache", "--force-exclude", *files],
            cwd=source,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            complaints += [done.stdout + done.stderr + f"ruff {words[0]} has complaints"]
    return complaints


def check_of_itself(lizard, ruff, source):
    """Each part finds what it is for."""
    with tempfile.TemporaryDirectory() as folder:
        branches = "".join(f"  if (a == {n})\n    return {n};\n" for n in range(MOST))
        function = pathlib.Path(folder, "branches.cpp")
        function.write_text(f"int branches(int a) {{\n{branches}  return 0;\n}}\n")
        most = complexities(lizard, [folder])
        missed = []
        if len(too_complex(most)) != 1:
            missed.append("a complex function is not found")
        crowded = 'int a; int b;\nfor (;;) f("a; b;"); // c; d;\nrun([] { a(); b(); });\n'
        if [count > 1 for count in statements_by_line(crowded)] != [True, False, True, False]:
            missed.append("two statements in a line are not found")
        script = pathlib.Path(folder, "script.py")
        script.write_text("import os;x = 1\n")
        settings = source / ".ruff.toml"
        for words in (["check"], ["format", "--check"]):
            command = [ruff, *words, "--quiet", "--no-cache", "--config", settings, script]
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                missed.append(f"ruff {words[0]} finds nothing")
        return missed


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    lizard, ruff = sys.argv[2:4]
    if "--rooms" in sys.argv:
        print_rooms(lizard, source)
        return 0
    bad = check_of_itself(lizard, ruff, source)
    bad += too_complex(complexities(lizard, [source / room for room in ROOMS]))
    bad += crowded_lines(tracked(source, *(f"{r}/**.{e}" for r in ROOMS for e in ("cpp", "h"))))
    bad += ruff_complaints(ruff, source, list(filter(is_python, tracked(source))))
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
