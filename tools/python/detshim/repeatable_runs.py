"""Runs a test of @pytest.mark.repeatable in processes of its own, one after the other, and compares what came."""

from __future__ import annotations

import inspect
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.outcomes import OutcomeException
from _pytest.reports import TestReport

import detshim
from detshim import repeatable_child

_MOST_LINES = 40  # of what `detshim log diff` prints, in a failure
_LAST_LINES = 6  # of why a process did not reach the test's end


class Refused(Exception):
    """Why the test could not be run so: one line."""


def _settings(n: int = 3, seed: int | None = None, stdout: bool = True) -> dict[str, Any]:
    """The marker's arguments."""
    return {"n": n, "seed": seed, "stdout": stdout}


def settings_of(item: pytest.Item, seed: str) -> dict[str, Any]:
    """The arguments of the item's marker, checked; its seed, else `seed`."""
    marker: Any = item.get_closest_marker("repeatable")
    written = "repeatable({})".format(
        ", ".join(
            [*map(repr, marker.args), *("{}={!r}".format(*pair) for pair in marker.kwargs.items())]
        )
    )
    try:
        bound = inspect.signature(_settings).bind(*marker.args, **marker.kwargs)
    except TypeError as error:
        raise Refused(
            "{} is not accepted: {}; it takes n, seed and stdout".format(written, error)
        ) from None
    settings = _settings(*bound.args, **bound.kwargs)
    n, own_seed = settings["n"], settings["seed"]
    if isinstance(n, bool) or not isinstance(n, int) or n < 2:
        raise Refused("{} is not accepted: n is a whole number from 2 on".format(written))
    if own_seed is not None and (
        isinstance(own_seed, bool) or not isinstance(own_seed, int) or not 0 <= own_seed < 2**64
    ):
        raise Refused("{} is not accepted: seed is a whole number from 0 to 2^64-1".format(written))
    if not isinstance(settings["stdout"], bool):
        raise Refused("{} is not accepted: stdout is True or False".format(written))
    settings["seed"] = str(seed if own_seed is None else own_seed)
    return settings


class Run:
    """One process that ran the test, and what it wrote down."""

    def __init__(self, folder: pathlib.Path, number: int) -> None:
        self.number = number
        # The same one for each run: its name is in the environment, which is compared too.
        self.result_file = folder / "result"
        self.log = folder / "log-{}".format(number)
        self.output = folder / "output-{}".format(number)
        self.status = 0
        self.result: dict[str, Any] | None = None
        self.reports: list[Any] = []

    def read(self, config: pytest.Config) -> None:
        if self.result_file.exists():
            self.result = json.loads(self.result_file.read_text(encoding="utf-8"))
            self.result_file.unlink()
            load = config.hook.pytest_report_from_serializable
            self.reports = [load(config=config, data=data) for data in self.result["reports"]]
            for report in self.reports:
                if isinstance(
                    report.longrepr, list
                ):  # where a test was skipped; JSON has no tuples
                    report.longrepr = tuple(report.longrepr)

    def end(self) -> str:
        return (
            "signal {}".format(-self.status) if self.status < 0 else "status {}".format(self.status)
        )

    def died(self) -> bool:
        """Whether the process ended otherwise than pytest meant it to: before or after it wrote anything down."""
        return self.result is None or self.status != self.result["status"]

    def printed(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace").strip()

    def refusal(self) -> str:
        """The line by which detshim, or the library, says why there is no process; empty where there is one."""
        lines = self.printed().splitlines()
        refused = self.status in (2, 126, 127) and lines and lines[-1].startswith("detshim: ")
        return lines[-1] if refused else ""

    def broke_off(self) -> bool:
        """Whether pytest did not reach the test's end, as by pytest.exit()."""
        return self.result is not None and not any(
            report.when == "teardown" for report in self.reports
        )

    def last_error(self) -> str:
        """The last lines of why it is not over; of what pytest said, else of what the process printed."""
        errors = self.result["errors"] if self.result else []
        text = errors[0] if errors else self.printed()
        lines = [
            line for line in text.splitlines() if line.strip() and not line.startswith("detshim: ")
        ]
        return "\n".join(lines[-_LAST_LINES:] or ["its process ended with " + self.end()])

    def outcomes(self) -> str:
        """Without its own process's doing: setup, call and teardown."""
        words = []
        for report in self.reports:
            outcome = report.outcome
            if hasattr(report, "wasxfail"):
                outcome = "xfailed" if report.skipped else "xpassed"
            if outcome != "passed" or report.when == "call":
                words.append("{} {}".format(report.when, outcome))
        if self.broke_off():
            words.append("pytest was stopped")
        if self.died():
            words.append("its process ended with " + self.end())
        return ", ".join(words)

    def messages(self) -> list[str]:
        """What each report says, of failures, skips and expected failures, a text each."""
        texts = []
        for report in self.reports:
            crash = getattr(report.longrepr, "reprcrash", None)
            if crash is not None:
                text = crash.message
            elif isinstance(report.longrepr, tuple):
                text = report.longrepr[2]
            else:
                text = "" if report.longrepr is None else str(report.longrepr)
            of = [getattr(report, "context", ""), getattr(report, "wasxfail", "")]
            texts.append("\n".join([*(str(part) for part in of if part), text]))
        if self.broke_off():
            texts.append(self.last_error())
        return texts

    def stdout(self) -> str:
        # A report has what was printed in those before it; one of a subtest has its own alone.
        last = [self.reports[-1].capstdout] if self.reports else []
        return "".join(
            [
                *(report.capstdout for report in self.reports[:-1] if hasattr(report, "context")),
                *last,
            ]
        )

    def values(self) -> list[list[str]]:
        return self.result["values"] if self.result else []


def _words_of_pytest(config: pytest.Config) -> tuple[list[str], list[str]]:
    """What pytest was called with, and how."""
    arguments, program = list(config.invocation_params.args), sys.argv[0]
    if hasattr(config, "workerinput"):  # pytest-xdist's: as the process was called that started it
        program, *arguments = config.workerinput["mainargv"]
        if pathlib.Path(program).name not in ("pytest", "py.test", "__main__.py"):
            raise Refused(
                "repeatable: pytest was called by another program ({}), with pytest-xdist".format(
                    program
                )
            )
    is_script = pathlib.Path(program).name in ("pytest", "py.test")
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [sys.executable, *flags, *([program] if is_script else ["-m", "pytest"])], arguments


def _command(
    item: pytest.Item, run: Run, settings: dict[str, Any], folder: pathlib.Path
) -> list[str]:
    start, arguments = _words_of_pytest(item.config)
    # Where a file of a test's is must be the same in each.
    own = ["--capture=fd", "--basetemp={}".format(folder / "tmp")]
    if item.config.pluginmanager.hasplugin("cacheprovider"):  # else nobody knows the setting
        own += ["-o", "cache_dir={}".format(folder / "cache")]
    if hasattr(item.config.option, "no_cov"):
        own.append("--no-cov")
    if getattr(item.config.option, "debug", None):  # before any plugin could take it back
        own.append("--debug=" + os.devnull)
    at = arguments.index("--") if "--" in arguments else len(arguments)
    of_detshim = [
        detshim.command(),
        "run",
        "--seed=" + settings["seed"],
        "--log={}".format(run.log),
    ]
    if detshim.active():
        # A run of its own, not a child in this one's: until --mode the library does nothing (aside()).
        of_detshim = [
            "env",
            "-u",
            "DETSHIM_RUN",
            *of_detshim,
            "--mode=" + os.environ.get("DETSHIM_MODE", "enforce"),
        ]
    return [*of_detshim, "--", *start, *arguments[:at], *own, *arguments[at:]]


def _environment(item: pytest.Item, run: Run) -> dict[str, str]:
    environment = detshim.aside(os.environ)
    for name in [*environment]:
        if (
            name.startswith(("PYTEST_XDIST_", "COV_CORE_", "COVERAGE_PROCESS_"))
            or name == "PYTEST_CURRENT_TEST"
        ):
            del environment[name]
    environment[repeatable_child.VARIABLE] = json.dumps(
        {"nodeid": item.nodeid, "file": str(item.path), "result": str(run.result_file)}
    )
    return environment


def _run(item: pytest.Item, number: int, settings: dict[str, Any], folder: pathlib.Path) -> Run:
    run = Run(folder, number)
    command = _command(item, run, settings, folder)
    with open(run.output, "wb") as output:
        run.status = subprocess.run(
            command,
            cwd=str(item.config.invocation_params.dir),
            env=_environment(item, run),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        ).returncode
    for name in ("tmp", "cache"):  # the next run is to find what this one found
        shutil.rmtree(folder / name, ignore_errors=True)
    run.read(item.config)
    if run.result is None:
        if run.refusal():
            raise Refused("repeatable: " + run.refusal())
    elif run.result["mode"] in (None, "off"):
        raise Refused(
            "repeatable: the test's process did not run under detshim (DETSHIM_MODE=off?)"
        )
    elif not run.result["found"]:
        raise Refused(
            "repeatable: pytest does not find the test in a process of its own (its id changes, or its file does not load): "
            + run.last_error()
        )
    return run


def _first_difference_of_lines(first: str, other: str) -> str:
    lines, others = first.splitlines(), other.splitlines()
    for i in range(max(len(lines), len(others))):
        line, other_line = (all_[i] if i < len(all_) else None for all_ in (lines, others))
        if line != other_line:
            return "line {}: {} / {}".format(
                i + 1, *("nothing" if text is None else repr(text) for text in (line, other_line))
            )
    return "the ends of lines"


def _differences(first: Run, other: Run, compares_stdout: bool) -> list[str]:
    """What differs between two runs, a line each."""
    lines = []
    if first.outcomes() != other.outcomes():
        lines.append("outcome: {} / {}".format(first.outcomes(), other.outcomes()))
    else:
        for message, other_message in zip(first.messages(), other.messages()):
            if message != other_message:
                lines.append("message: " + _first_difference_of_lines(message, other_message))
                break
    values, others = first.values(), other.values()
    for value, other_value in zip(values, others):
        if value[:2] != other_value[:2]:
            both = "{} / {}".format(value[2], other_value[2])
            if value[2] == other_value[2]:
                both = "other bits, both shown as " + value[2]
            name = (
                value[0]
                if value[0] == other_value[0]
                else "{} / {}".format(value[0], other_value[0])
            )
            lines.append("{}: {}".format(name, both))
            break
    else:
        if len(values) != len(others):
            lines.append(
                "repeatable_value() was called {} times / {} times".format(len(values), len(others))
            )
    if compares_stdout and first.stdout() != other.stdout():
        lines.append("stdout, " + _first_difference_of_lines(first.stdout(), other.stdout()))
    return lines


def _first_cause(first: Run, other: Run) -> list[str]:
    """What `detshim log diff` says of the two."""
    words = [detshim.command(), "log", "diff", str(first.log), str(other.log)]
    asked = subprocess.run(
        words, env=detshim.aside(os.environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )  # fmt: skip
    own = (
        os.path.dirname(__file__) + os.sep
    )  # what this plugin reads of clocks is no cause of the test's
    lines = [
        line
        for line in asked.stdout.decode(errors="replace").rstrip().splitlines()
        if own not in line
    ]
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = ["… ({} more lines)".format(len(lines) - _MOST_LINES)]
    return ["$ detshim " + " ".join(words[1:]), *lines]


def _report(
    item: pytest.Item, when: Any, outcome: Any, text: str, sections: Iterable[Any] = ()
) -> pytest.TestReport:
    return TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={name: 1 for name in item.keywords},
        outcome=outcome,
        longrepr=text,
        when=when,
        sections=list(sections),
    )


def _compare(
    item: pytest.Item, settings: dict[str, Any], folder: pathlib.Path
) -> tuple[list[Any], bool]:
    """Reports of the first run where all are alike; one that failed where one is not."""
    first = _run(item, 1, settings, folder)
    for number in range(2, settings["n"] + 1):
        run = _run(item, number, settings, folder)
        differences = _differences(first, run, settings["stdout"])
        if differences:
            head = "repeatable: run {} of {} differs from run 1, with the seed {}".format(
                number, settings["n"], settings["seed"]
            )
            lines = [head, *("  " + line for line in differences), "", *_first_cause(first, run)]
            sections = [
                ("Captured stdout call of run {}".format(shown.number), shown.stdout())
                for shown in (first, run)
                if shown.stdout()
            ]
            return [_report(item, "call", "failed", "\n".join(lines), sections)], True
    text = "repeatable: in each of {} runs ".format(settings["n"])
    output = [("Output of run 1", first.printed())]
    if first.died():
        return [
            _report(item, "call", "failed", text + "the process ended with " + first.end(), output)
        ], False
    if first.broke_off():
        text += "pytest was stopped before the test was over: " + first.last_error()
        return [_report(item, "call", "failed", text, output)], False
    return first.reports, False


def reports_of(item: pytest.Item, seed: str) -> list[Any]:
    """The reports of a test with the marker, for pytest to log. `seed`: where the marker names none."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="detshim-repeatable-"))
    keep = False
    try:
        reports, keep = _compare(item, settings_of(item, seed), folder)
    except Refused as error:
        reports = [_report(item, "setup", "failed", str(error))]
    except (
        OutcomeException
    ) as error:  # of an alarm, as pytest-timeout's: raised wherever this process is just then
        reports = [_report(item, "call", "failed", "repeatable: {}".format(error))]
    finally:
        if not keep:  # logs that differ stay for the user
            shutil.rmtree(folder, ignore_errors=True)
    return reports
