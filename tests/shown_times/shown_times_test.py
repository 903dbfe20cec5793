#!/usr/bin/env python3
"""Which readings of clocks are only shown: `# shown` and `# reason` stand at the lines of programs/.

Usage: shown_times_test.py SOURCE [Test.test_NAME]
"""

import ast
import pathlib
import re
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
PROGRAMS = pathlib.Path(__file__).parent / "programs"
sys.path.insert(0, str(SOURCE / "tools" / "shown_times"))

from answer import imports_neighbour  # noqa: E402
from flow import Flow, kept_lines  # noqa: E402
from flow import shown_lines as lines_of_flow  # noqa: E402
from formats import Formats  # noqa: E402

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
Timer.__setattr__ = traced
print(timer.__getattribute__(name))
class Timer2(Timer, BaseEstimator): pass
@register\nclass Timer2(Timer): pass
from joblib import dump as keep; keep(timer)
torch.save(timer.half(), "timer.pt")
other = timer; torch.save(other, "timer.pt")
models = {}; models["t"] = timer; torch.save(models, "timers.pt")
torch.save({"timer": make()}, "timer.pt")
best = max(timers, key=speed); torch.save({"best": best}, "best.pt")
mlflow.pytorch.log_model(timer)
learner.export()
agent.save("agent.zip")
open("t").read().format(timer)
page.render(timer=timer)
print("{{ begun }}")
columns = ["begun"]
import sys; sys.path.append("..")
import importlib; importlib.import_module(name).use(timer)
match timer:\n  case Timer(x): pass\nTimer.__match_args__ = ("begun",)
""".strip().split("\n")


READ_BACK = r"""
class Trainer:\n  def log_metric(self, name, value): self.seconds = value
class Trainer:\n  log_metric = keep
class Writer:\n  def __getattr__(self, name): return keep
Writer = type("Writer", (), {"log_metric": keep})
print(mlflow.search_runs())
print(bar.postfix)
early = EarlyStopping("seconds")
import sys; print(sys.executable)
logging.FileHandler("train.log"); print(open("train.log").read())
handler = logging.StreamHandler(stream)
handler.emit = keep
class Log(logging.Logger): pass
from logging.handlers import QueueHandler
warnings.showwarning = keep
""".strip().split("\n")


PLAIN_FORMATTERS = r"""
record.levelname = self.COLOURS.get(record.levelname, "") + record.levelname\nreturn super().format(record)
return json.dumps({"ts": self.formatTime(record), "level": record.levelname, "msg": record.getMessage()})
return f"[{record.levelname}] {record.name}: {record.getMessage()}"
text = super().format(record)\nreturn "%s | %s" % (record.levelname, text)
""".strip().split("\n")

OTHER_FORMATTERS = r"""
return json.dumps({"msg": record.getMessage(), "at": record.created})
return json.dumps(record.__dict__)
return record.getMessage()[-4:]
return shorten(record.getMessage())
keep.append(record)\nreturn record.getMessage()
r = record\nreturn f"{r.created}"
return "{0.created}".format(record)
self.last = [record]\nreturn super().format(record)
return str(hash(record.getMessage()))
return record.getMessage().split()[-1]
""".strip().split("\n")

FORMATTER = """import json, logging, time
class Formatter(logging.Formatter):
  COLOURS = {"INFO": "green"}
  def format(self, record):
    BODY
start = time.time()
logging.info("train loop %.2fs", time.time() - start)
"""


def shown_lines(tree, lines, is_script, is_alone=True):
    return lines_of_flow(Flow(tree, is_script, is_alone), lines)


def patterns_of(text):
    return list(Formats(Flow(ast.parse(text), True, is_trusted=True)).patterns())


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

    def test_formatters(self):
        """One that hands a message on hides nothing."""

        def shown_with(body):
            body = body.replace("\\n", "\n    ")
            tree = ast.parse(FORMATTER.replace("BODY", body))
            lines = range(body.count("\n") + 6, body.count("\n") + 8)
            return shown_lines(tree, lines, True) == list(lines)

        for body in PLAIN_FORMATTERS:
            self.assertTrue(shown_with(body), body)
        for body in OTHER_FORMATTERS:
            self.assertFalse(shown_with(body), body)
        of_json = FORMATTER.replace("BODY", PLAIN_FORMATTERS[1])
        line = '{"ts": "2026-01-01", "msg": "train loop 12.34s"}'
        for text, times in (
            (of_json, ["12.34"]),
            (FORMATTER.replace("BODY", PLAIN_FORMATTERS[2]), []),
        ):
            found = [match[1] for p in patterns_of(text) for match in re.finditer(p, line)]
            self.assertEqual(found, times, text)

    def test_objects(self):
        """Of attributes that may be read unseen, nothing is known."""
        text = (
            "import time\nclass Timer:\n"
            "  def __init__(self): self.begun = time.time()\n"
            "  def show(self): print(time.time() - self.begun)\n"
            "timer = Timer()\ntimer.show()\n"
        )
        saves = "torch.save(model.state_dict(), 'model.pt')\n"
        saves_more = "torch.save({'epoch': 3, 'best': best.item(), 'm': m.state_dict()}, 'm.pt')\n"
        for harmless in (
            *("", saves, saves_more, "use(timer)\n", "@plain\nclass Other: pass\n"),
            *(
                "plt.savefig('x.png')\n",
                "json.dump({'loss': 1}, file)\n",
                "def save(t): pass\nsave(timer)\n",
            ),
        ):
            tree = ast.parse(text + harmless)
            self.assertEqual(shown_lines(tree, range(1, 5), True), [3, 4], harmless)
            self.assertEqual(shown_lines(tree, range(1, 5), False), [], harmless)
            self.assertEqual(shown_lines(tree, range(1, 5), True, False), [], harmless)
        for line in OBJECTS:
            with self.subTest(line):
                tree = ast.parse(text + line.replace("\\n", "\n") + "\n")
                self.assertEqual(shown_lines(tree, range(1, 5), True), [])

    def test_read_back(self):
        """What is handed to a writer may come back, and a writer may be the user's own."""
        text = (
            "import logging, time, mlflow\nstart = time.time()\n"
            "writer.log_metric('seconds', time.time() - start)\n"
        )
        harmless = "logging.FileHandler('train.log'); logging.StreamHandler()\n"
        self.assertEqual(shown_lines(ast.parse(text + harmless), range(2, 4), True), [2, 3])
        self.assertEqual(shown_lines(ast.parse(text), range(2, 4), True, False), [])
        known = text.replace("writer.", "mlflow.")
        self.assertEqual(shown_lines(ast.parse(known), range(2, 4), True, False), [2, 3])
        for line in READ_BACK:
            with self.subTest(line):
                tree = ast.parse(text + line.replace("\\n", "\n") + "\n")
                self.assertEqual(shown_lines(tree, range(2, 4), True), [])

    def test_neighbours(self):
        """A script's folder, and those around it up to the project's."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "project" / "scripts").mkdir(parents=True)
            (place / "project" / ".git").mkdir()
            script = str(place / "project" / "scripts" / "train.py")
            tree = ast.parse("from helpers.io import keep")
            (place / "helpers").mkdir()
            self.assertFalse(imports_neighbour(tree, script))
            (place / "project" / "helpers.py").touch()
            self.assertTrue(imports_neighbour(tree, script))
            self.assertTrue(imports_neighbour(ast.parse("from . import keep"), script))

    def test_formats(self):
        """Times are found in what was printed, and results are not."""
        text = (PROGRAMS.parent / "printing.py").read_text()
        patterns = [re.compile(pattern) for pattern in patterns_of(text)]
        self.assertGreater(len(patterns), 4)
        for line in re.findall("# prints: (.*)", text):
            printed = line.replace("[", "").replace("]", "")
            times = {
                found[1].strip() for pattern in patterns for found in pattern.finditer(printed)
            }
            self.assertEqual(times, set(re.findall(r"\[(.*?)\]", line)), line)

    def test_results(self):
        """A form takes no result for a time; each would, if its line were of the form."""
        text = (PROGRAMS.parent / "results.txt").read_text()
        begin = "import logging, sys, time\nstart = time.time()\nt = time.time() - start\n"
        cases = text.split("\n## ")[1:]
        self.assertGreater(len(cases), 15)
        for case in cases:
            name, printed, code = case.split("\n", 2)
            found = [
                match[1]
                for pattern in patterns_of(begin + code)
                for match in re.finditer(pattern, printed.removeprefix("out: "))
            ]
            with self.subTest(name):
                self.assertFalse([number for number in found if "77" in number])

    def test_kept(self):
        """What a library has measured is a time too. A file with a handler of logs shows none."""
        text = (PROGRAMS.parent / "library_times.py").read_text()
        self.assertEqual(sorted(kept_lines(Flow(ast.parse(text), True))), lines_with(text, "kept"))
        plain = text[text.index("search =") :]
        shown = [
            line for line in lines_with(plain, "kept") if "print" not in plain.split("\n")[line - 1]
        ]
        flow = Flow(ast.parse("import numpy as np\n" + plain), True)
        self.assertEqual(sorted(kept_lines(flow)), [line + 1 for line in shown])

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
