"""A process that runs one test of @pytest.mark.repeatable, with the words that pytest was called with, and writes down
what came of it. repeatable_runs.py starts it."""
import json
import os

import pytest

import detshim

# JSON: the test's id, its file, and the file to write. Not handed on: a test may start a pytest of its own.
VARIABLE = "_PYTEST_DETSHIM_TEST"
_task = json.loads(os.environ.pop(VARIABLE, "null"))
_values = []

# What words of the command line would make this process do besides: other tests, other processes, the reports of the
# process that started it. Each is set where the plugin that knows it is there.
_PLAIN = {
    "collectonly": False,
    "deselect": None,
    "dist": "no",
    "failedfirst": False,
    "htmlpath": None,
    "keyword": "",
    "lf": False,
    "markexpr": "",
    "maxprocesses": None,
    "newfirst": False,
    "numprocesses": None,
    "reruns": 0,
    "setuponly": False,
    "setupplan": False,
    "stepwise": False,
    "trace": False,
    "tx": [],
    "usepdb": False,
    "xmlpath": None,
}


def is_child():
    return _task is not None


def add_value(name, digest, text):
    """What repeatable_value() was given."""
    _values.append([name, digest, text])


def narrow(config):
    """To the one test, before any plugin acts on its options."""
    for name, value in _PLAIN.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    config.args[:] = [_task["file"]]


class Child:
    """Runs the one test, and writes down its reports when the session ends."""

    def __init__(self, config):
        self._config = config
        self._reports = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid == _task["nodeid"]]

    def pytest_runtest_logreport(self, report):
        self._reports.append(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self):
        result = {"mode": detshim.mode(), "reports": self._reports, "values": _values}
        with open(_task["result"], "w", encoding="utf-8") as file:
            json.dump(result, file)
