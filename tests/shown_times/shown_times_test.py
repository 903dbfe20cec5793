#!/usr/bin/env python3
"""Which readings of clocks are only shown: `# shown` and `# reason` stand at the lines of programs/.

Usage: shown_times_test.py SOURCE [Test.test_NAME]
"""

import ast
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
PROGRAMS = pathlib.Path(__file__).parent / "programs"
sys.path.insert(0, str(SOURCE / "tools" / "shown_times"))

from flow import Flow, shown_lines  # noqa: E402

HIDING = r"""
exec("start += 1")
eval("start")
print(vars()["start"])
globals()["start"]
from contextlib import redirect_stdout as captured
from inspect import currentframe
import inspect
import __main__
import builtins
import io; out = io.StringIO()
import sys; sys.stdout = open("out", "w")
import sys; print(sys.modules[__name__].start)
import sys; setattr(sys, "stdout", open("out", "w"))
import sys; print(sys._getframe().f_locals)
import os; os.dup2(3, 1)
import pandas; pandas.DataFrame().query("stamp > @start")
import rich.console; console = rich.console.Console(record=True)
import logging\nclass Keep(logging.Handler): pass
from helpers import *
now = time.time
class Row: stamp = field(default_factory=time.time)
def outer():\n  x = 0\n  def inner():\n    nonlocal x\n    x = time.time()
unittest.mock.patch("builtins.print", save)
print = save
""".strip().split("\n")


OBJECTS = r"""
print(vars(timer))
getattr(timer, name)
setattr(timer, name, 1)
import pickle; pickle.dump(timer, file)
from operator import attrgetter
print(asdict(timer))
from dataclasses import asdict as plain
torch.save(timer, "timer.pt")
torch.save({"timer": timer, "epoch": 1}, "timer.pt")
joblib.dump([timer], "timer")
def keep(thing): torch.save(thing, "thing.pt")\nkeep(timer)
torch.save(Timer(), "timer.pt")
text = "{0.begun}".format(timer)
timer.begun = 3
def begun(): pass
match timer:\n  case Timer(begun=x): pass
class Other:\n  begun = 1
for timer.begun in range(3): pass
class Timer2(Timer):\n  def __setattr__(self, name, value): pass
""".strip().split("\n")


def lines_with(text, mark):
    return [n for n, line in enumerate(text.split("\n"), 1) if line.endswith("# " + mark)]


class Test(unittest.TestCase):
    def setUp(self):
        self.texts = {file.name: file.read_text() for file in sorted(PROGRAMS.glob("*.py"))}
        self.assertGreater(len(self.texts), 5)

    def test_marks(self):
        for name, text in self.texts.items():
            shown = shown_lines(ast.parse(text), range(1, text.count("\n") + 1), True)
            with self.subTest(name):
                self.assertEqual(sorted(set(lines_with(text, "shown")) - set(shown)), [])
                self.assertEqual(sorted(set(lines_with(text, "reason")) & set(shown)), [])

    def test_readings(self):
        """Each line that reads has a mark: a program of which nothing is known shows nothing."""
        for name, text in self.texts.items():
            marked = set(lines_with(text, "shown") + lines_with(text, "reason"))
            read = {node.lineno for node in Flow(ast.parse(text), True).sources}
            with self.subTest(name):
                self.assertEqual(sorted(read - marked), [])

    def test_hiding(self):
        """Of a file that reaches names or what is printed unseen, nothing is known."""
        text = "import time\nstart = time.time()\nprint(time.time() - start)\n"
        self.assertEqual(shown_lines(ast.parse(text), range(1, 4), True), [2, 3])
        for line in HIDING:
            with self.subTest(line):
                tree = ast.parse(text + line.replace("\\n", "\n") + "\n")
                self.assertEqual(shown_lines(tree, range(1, 4), True), [])

    def test_objects(self):
        """Of attributes that may be read unseen, nothing is known."""
        text = (
            "import time\nclass Timer:\n"
            "  def __init__(self): self.begun = time.time()\n"
            "  def show(self): print(time.time() - self.begun)\n"
            "timer = Timer()\ntimer.show()\n"
        )
        saves = "torch.save(model.state_dict(), 'model.pt')\n"
        for harmless in ("", saves, "use(timer)\n", "@plain\nclass Other: pass\n"):
            tree = ast.parse(text + harmless)
            self.assertEqual(shown_lines(tree, range(1, 5), True), [3, 4], harmless)
            self.assertEqual(shown_lines(tree, range(1, 5), False), [], harmless)
            self.assertEqual(shown_lines(tree, range(1, 5), True, False), [], harmless)
        for line in OBJECTS:
            with self.subTest(line):
                tree = ast.parse(text + line.replace("\\n", "\n") + "\n")
                self.assertEqual(shown_lines(tree, range(1, 5), True), [])

    def test_modules(self):
        """What a module binds or returns, others may use; what stays in a function, nobody."""
        text = (PROGRAMS / "functions.py").read_text()
        lines = range(1, text.count("\n") + 1)
        shown = shown_lines(ast.parse(text), lines, False)
        functions = [text.split("\n")[line - 1].strip().split(" = ")[0] for line in shown]
        self.assertEqual(len(shown), 4, functions)
        self.assertLess(set(shown), set(shown_lines(ast.parse(text), lines, True)))


if __name__ == "__main__":
    unittest.main()
