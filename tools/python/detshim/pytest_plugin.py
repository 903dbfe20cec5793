"""The plugin for pytest: `--detshim[=SEED]`, and the marker `repeatable` (docs/PYTHON.md).

A test with the marker is run in processes of its own, by repeatable_runs.py; what such a process does differently from
any other pytest is in repeatable_child.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

import detshim
from detshim import repeatable_child, repeatable_runs, values

DEFAULT_SEED = "42"
RESTARTED = "_PYTEST_DETSHIM_RESTARTED"
# Taken away: what this process starts was not.
_is_started_anew = os.environ.pop(RESTARTED, None) is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("detshim").addoption(
        "--detshim",
        nargs="?",
        const="",
        metavar="SEED",
        help="run the tests under detshim, with this seed (DETSHIM_SEED's, else {}); write --detshim=SEED".format(
            DEFAULT_SEED
        ),
    )


def number_of(text: str) -> int | None:
    """A seed as DETSHIM_SEED takes it; None for anything else."""
    is_hexadecimal = text[:2] in ("0x", "0X")
    digits = text[2:] if is_hexadecimal else text
    if not digits.isascii() or not digits.isalnum():
        return None
    try:
        number = int(digits, 16 if is_hexadecimal else 10)
    except ValueError:
        return None
    return number if number < 2**64 else None


def seed_of(asked: str | None) -> str:
    """The seed that --detshim[=SEED] asks for, as a text."""
    if asked and number_of(asked) is None:
        raise pytest.UsageError(
            "--detshim={} is not accepted: a whole number from 0 to 2^64-1, decimal or hexadecimal after 0x "
            "(a file of tests goes before --detshim)".format(asked)
        )
    return asked or os.environ.get("DETSHIM_SEED") or DEFAULT_SEED


def own_command() -> list[str]:
    """The words that this interpreter was started with."""
    if hasattr(sys, "orig_argv"):  # Python 3.10
        return [sys.executable, *sys.orig_argv[1:]]
    module = sys.modules["__main__"].__spec__
    program = ["-m", "pytest"] if module is not None else [sys.argv[0]]
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [sys.executable, *flags, *program, *sys.argv[1:]]


def check_present(asked: str | None) -> None:
    """Nothing where detshim is in this process as asked for; one line where it is otherwise."""
    if detshim.mode() == "off":
        raise pytest.UsageError(
            "--detshim: DETSHIM_MODE=off is in force, so nothing would be repeatable"
        )
    here = os.environ.get("DETSHIM_SEED", "")
    if asked and number_of(here) != number_of(seed_of(asked)):
        raise pytest.UsageError(
            "--detshim={}: pytest runs under detshim already, with DETSHIM_SEED={}".format(
                asked, here
            )
        )


def start_anew(config: pytest.Config, asked: str) -> None:
    """Puts pytest under detshim, if it is not: in the same process, by `detshim run`."""
    seed = seed_of(asked)
    if detshim.mode() is not None:
        check_present(asked)
        return
    if "PYTEST_XDIST_WORKER" in os.environ:
        raise pytest.UsageError(
            "--detshim: this worker of pytest-xdist does not run under detshim: it was not started by pytest's own process"
        )
    if _is_started_anew:
        raise pytest.UsageError(
            "--detshim: libdetshim.so does not come up in {0}: `detshim doctor -- {0}` says why".format(
                sys.executable
            )
        )
    if list(config.invocation_params.args) != sys.argv[1:]:
        raise pytest.UsageError(
            "--detshim: pytest was called by another program; start that one by `detshim run --seed {} --`".format(
                seed
            )
        )
    sys.stdout.flush()
    sys.stderr.flush()
    os.environ[RESTARTED] = "1"
    os.execv(detshim.command(), ["detshim", "run", "--seed=" + seed, "--", *own_command()])


# Around all others: before output is captured, and before the first conftest.py is read.
@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    asked = early_config.known_args_namespace.detshim
    if asked is not None and not repeatable_child.is_child():
        start_anew(early_config, asked)
    yield


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "repeatable(n=3, seed=None, stdout=True): run the test in n processes under detshim, with one seed; it fails "
        "where they differ in outcome, in what repeatable_value() is given, or in what they print",
    )
    if repeatable_child.is_child():
        config.pluginmanager.register(repeatable_child.Child(config), "detshim-child")


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Iterator[None]:
    if repeatable_child.is_child():
        repeatable_child.narrow(config)
    yield


def pytest_report_header() -> str | None:
    if detshim.active():
        return "detshim: mode {}, seed {}".format(
            detshim.mode(), os.environ.get("DETSHIM_SEED", "drawn")
        )
    return None


@pytest.fixture
def repeatable_value() -> Callable[..., None]:
    """A function that a test hands what has to be the same in each run of @pytest.mark.repeatable, as many as it likes:

    repeatable_value(value, name="value"): numbers, texts, bytes, lists, dicts and sets of them, arrays and tensors.
    They are compared bit by bit. Without the marker it does nothing.
    """

    def give(value: object, name: str = "value") -> None:
        repeatable_child.add_value(str(name), *values.digest_and_text(value))

    return give


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if repeatable_child.is_child() or item.get_closest_marker("repeatable") is None:
        return None
    if item.config.getoption("setuponly") or item.config.getoption("setupplan"):
        return None  # pytest's own way runs no test either
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    asked = item.config.getoption("detshim")
    for report in repeatable_runs.reports_of(item, seed_of(asked)):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    # What the test before it left for this one's module, if the next one is of another.
    item.session._setupstate.teardown_exact(nextitem)
    return True
