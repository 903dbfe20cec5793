"""A process that runs one test of @pytest.mark.repeatable, with the words that pytest was called with, and writes down
what came of it. repeatable_runs.py starts it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

import detshim

# JSON: the test's id, its file, and the file to write. Not handed on: a test may start a pytest of its own.
VARIABLE = "_PYTEST_DETSHIM_TEST"
_task = json.loads(os.environ.pop(VARIABLE, "null"))
_values: list[list[str]] = []

# What words of the command line would make this process do besides: other tests, other processes, the reports of the
# process that started it. Each is set where the plugin that knows it is there.
_PLAIN: dict[str, Any] = {
    **dict.fromkeys(
        (
            "allure_report_dir",
            "deselect",
            "htmlpath",
            "json_report_file",
            "maxprocesses",
            "numprocesses",
        ),
        None,
    ),
    **dict.fromkeys(("pastebin", "report_log", "xmlpath"), None),
    **dict.fromkeys(
        ("collectonly", "failedfirst", "json_report", "lf", "newfirst", "setuponly", "setupplan"),
        False,
    ),
    **dict.fromkeys(("stepwise", "trace", "usepdb"), False),
    **{"keyword": "", "markexpr": "", "dist": "no", "reruns": 0, "tx": []},
    "log_file": os.devnull,  # not None: that would be the project's file's log_file
}


def is_child() -> bool:
    return _task is not None


def add_value(name: str, digest: str, text: str) -> None:
    """What repeatable_value() was given."""
    _values.append([name, digest, text])


def narrow(config: pytest.Config) -> None:
    """To the one test, before any plugin acts on its options."""
    for name, value in _PLAIN.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    config.args[:] = [_task["file"]]


class Child:
    """Runs the one test, and writes down its reports when the session is over."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reports: list[object] = []
        self._found = False
        self._errors: list[str] = []  # why pytest did not reach the test's end, as pytest says it

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            self._errors.append(report.longreprtext)

    def pytest_keyboard_interrupt(
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> None:  # pytest.exit() too
        self._errors.append(excinfo.exconly())

    def pytest_internalerror(self, excrepr: object) -> None:
        self._errors.append(str(excrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid == _task["nodeid"]]
        self._found = bool(items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(
            self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        )

    # Around all others: they may still change the status that the process is to end with.
    @pytest.hookimpl(tryfirst=True, hookwrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        yield
        result = {
            "mode": detshim.mode(),
            "reports": self._reports,
            "values": _values,
            "found": self._found,
            "errors": self._errors,
            "status": int(session.exitstatus),
        }
        with open(_task["result"], "w", encoding="utf-8") as file:
            json.dump(result, file)
