"""The plugin for pytest: tests under detshim, and tests that run in processes of their own."""

import os
import pathlib
import shutil
import sys

import detshim
import pytest

pytest_plugins = "pytester"

# The number of the test's process: 1, 2, … by a file beside the test.
COUNT = """
import os, pathlib, random, pytest
def number():
    file = pathlib.Path(__file__).parent / "count"
    n = len(file.read_text()) + 1 if file.exists() else 1
    file.write_text("x" * n)
    return n
"""


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    for name in [*os.environ]:
        if name.startswith(("DETSHIM_", "_PYTEST_DETSHIM", "PYTEST_")):
            monkeypatch.delenv(name)


def processes(pytester):
    """How many processes have run the test."""
    file = pytester.path / "count"
    return len(file.read_text()) if file.exists() else 0


def logs(result):
    """The two logs that a failure names."""
    line = next(line for line in result.outlines if line.startswith("$ detshim log diff "))
    return [pathlib.Path(word) for word in line.split()[-2:]]


def run(pytester, code, *words):
    pytester.makepyfile(COUNT + code)
    result = pytester.runpytest_subprocess(*words)
    for line in result.outlines:
        if line.startswith("$ detshim log diff "):
            pytester.detshim_logs = logs(result)
            shutil.rmtree(pytester.detshim_logs[0].parent)
            break
    return result


STABLE = """
@pytest.mark.repeatable(n=3)
def test_stable(repeatable_value):
    number()
    print(random.random())
    repeatable_value(random.random(), name="loss")
"""


def test_a_stable_test_passes(pytester):
    run(pytester, STABLE).assert_outcomes(passed=1)
    assert processes(pytester) == 3


def test_it_is_the_library_that_makes_it_so(pytester, monkeypatch):
    monkeypatch.setenv("DETSHIM_MODE", "observe")  # nothing is pinned
    result = run(pytester, STABLE)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "repeatable: run 2 of 3 differs from run 1, with the seed 42",
            "  loss: * / *",
            "  stdout, line 1: * / *",
        ]
    )
    assert processes(pytester) == 2


FLAKY = """
def draw(n):
    return [os.urandom(4) for _ in range(n)]

@pytest.mark.repeatable
def test_flaky(repeatable_value):
    repeatable_value(draw(number()), name="drawn")
"""


def test_a_flaky_test_fails_with_its_first_cause(pytester):
    result = run(pytester, FLAKY)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "repeatable: run 2 of 3 differs from run 1, with the seed 42",
            "  drawn: [[]b'*'[]] / [[]b'*', b'*'[]]",
            "first to differ",
            "  getrandom, *test_a_flaky_test_fails_with_its_first_cause.py:*",
        ],
        consecutive=False,
    )
    assert (
        "detshim/repeatable_" not in result.stdout.str()
    )  # what the plugin does itself is no cause


def test_printed_text_counts_unless_it_is_not_to(pytester):
    code = (
        "@pytest.mark.repeatable(n=2, stdout={})\ndef test_prints():\n    print('loss', number())\n"
    )
    result = run(pytester, code.format(True))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  stdout, line 1: 'loss 1' / 'loss 2'"])
    run(pytester, code.format(False)).assert_outcomes(passed=1)
    run(pytester, code.format(True), "-s").assert_outcomes(failed=1)


def test_outcomes_count(pytester):
    result = run(
        pytester, "@pytest.mark.repeatable(n=2)\ndef test_ends():\n    assert number() == 1\n"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  outcome: call passed / call failed"])


def test_messages_of_failures_count(pytester):
    result = run(
        pytester, "@pytest.mark.repeatable(n=2)\ndef test_ends():\n    assert number() == 0\n"
    )
    result.stdout.fnmatch_lines(["repeatable: run 2 of 2 differs*", "  message: line *"])


def test_values_that_are_missing_count(pytester):
    result = run(pytester, "@pytest.mark.repeatable(n=2)\ndef test_gives(repeatable_value):\n"
                           "    for i in range(number()): repeatable_value(i)\n")  # fmt: skip
    result.stdout.fnmatch_lines(["  repeatable_value() was called 1 times / 2 times"])


def test_other_bits_that_print_alike_count(pytester):
    result = run(pytester, "class Rounded(float):\n    __repr__ = lambda self: '%.2f' % self\n"
                           "@pytest.mark.repeatable(n=2)\ndef test_gives(repeatable_value):\n"
                           "    repeatable_value(Rounded(1 + number() * 2**-50))\n")  # fmt: skip
    result.stdout.fnmatch_lines(["  value: other bits, both shown as 1.00"])


def test_a_test_that_fails_alike_fails_as_itself(pytester):
    result = run(
        pytester,
        "@pytest.mark.repeatable(n=2)\ndef test_fails():\n    number()\n    assert 'a' == 'b'\n",
    )
    result.assert_outcomes(failed=1)
    assert processes(pytester) == 2
    result.stdout.fnmatch_lines([">*assert 'a' == 'b'", "E*assert 'a' == 'b'"])
    assert "repeatable: " not in result.stdout.str()


def test_skipped_and_expected_failures_stay_what_they_are(pytester):
    code = """
@pytest.mark.repeatable(n=2)
def test_skips(): pytest.skip("not here")
@pytest.mark.repeatable(n=2)
@pytest.mark.xfail
def test_xfails(): assert False
@pytest.mark.repeatable(n=2)
@pytest.mark.xfail
def test_xpasses(): pass
"""
    result = run(pytester, code, "-rs")
    result.assert_outcomes(skipped=1, xfailed=1, xpassed=1)
    result.stdout.fnmatch_lines(["SKIPPED*not here"])


def test_parameters_and_classes(pytester):
    code = """
@pytest.mark.repeatable(n=2)
@pytest.mark.parametrize("word", ["a", "b/c::d[e]", "ä", ""])
def test_of(word): print(word)
class TestOf:
    @pytest.mark.repeatable(n=2)
    @pytest.mark.parametrize("n", [0, 1])
    def test_method(self, n, tmp_path): print(tmp_path, n)
@pytest.mark.repeatable(n=2)
class TestMarked:
    def test_one(self): assert number()
    def test_two(self): assert number()
"""
    run(pytester, code).assert_outcomes(passed=8)
    assert processes(pytester) == 4


def test_fixtures_of_modules_stay_in_order(pytester):
    module = """
import pytest
@pytest.fixture(scope="module")
def resource():
    print("up")
    yield
    print("down")
def test_before(resource): pass
@pytest.mark.repeatable(n=2)
def test_own(resource): pass
def test_after(resource): pass
@pytest.mark.repeatable(n=2)
def test_last(resource): pass
"""
    pytester.makepyfile(test_one=module, test_two=module)
    result = pytester.runpytest_subprocess("-s")
    result.assert_outcomes(passed=8)
    printed = result.stdout.str()
    assert printed.count("up") == printed.count("down") == 2


def test_stops_after_the_first(pytester):
    code = "@pytest.mark.repeatable(n=2)\ndef test_a(): assert False\n@pytest.mark.repeatable(n=2)\ndef test_b(): number()\n"
    run(pytester, code, "-x").assert_outcomes(failed=1)
    assert processes(pytester) == 0


def test_what_is_collected_only_is_not_run(pytester):
    result = run(pytester, STABLE, "--collect-only", "-q")
    result.stdout.fnmatch_lines(["*::test_stable"])
    assert result.ret == 0 and processes(pytester) == 0


def test_words_for_pytest_itself_stay_with_it(pytester):
    code = (
        STABLE
        + "def test_else(): number()\n@pytest.mark.repeatable(n=2)\ndef test_fails(): assert False\n"
    )
    result = run(
        pytester,
        code,
        "--junitxml=report.xml",
        "-k",
        "stable or fails",
        "--basetemp=own",
        "-p",
        "no:randomly",
    )
    result.assert_outcomes(passed=1, failed=1, deselected=1)
    assert processes(pytester) == 3
    report = (pytester.path / "report.xml").read_text()
    assert "test_stable" in report and "test_fails" in report
    for _ in range(2):  # the cache is this pytest's: the test's processes have not written to it
        assert "1 failed" in run(pytester, code, "--lf").outlines[-1]
        assert processes(pytester) == 3


@pytest.mark.parametrize(
    "written, why",
    [
        ("n=1", "n is a whole number from 2 on"),
        ("True", "n is a whole number from 2 on"),
        ("n='3'", "n is a whole number from 2 on"),
        ("seed=-1", "seed is a whole number from 0 to 2^64-1"),
        ("seed='x'", "seed is a whole number from 0 to 2^64-1"),
        ("stdout=1", "stdout is True or False"),
        ("runs=3", "got an unexpected keyword argument 'runs'; it takes n, seed and stdout"),
        ("2, 3, True, 4", "too many positional arguments; it takes n, seed and stdout"),
    ],
)
def test_a_marker_that_is_not_accepted_is_one_line(pytester, written, why):
    result = run(pytester, "@pytest.mark.repeatable({})\ndef test_it(): number()\n".format(written))
    result.assert_outcomes(errors=1)
    assert "repeatable({}) is not accepted: {}".format(written, why) in result.outlines
    assert processes(pytester) == 0


def test_seeds(pytester, monkeypatch):
    code = "@pytest.mark.repeatable({})\ndef test_seed():\n    number()\n    assert os.environ['DETSHIM_SEED'] == '{}'\n"
    run(pytester, code.format("n=2", 42)).assert_outcomes(passed=1)
    run(pytester, code.format("n=2", 7), "--detshim=7").assert_outcomes(passed=1)
    run(pytester, code.format("n=2, seed=9", 9), "--detshim=7").assert_outcomes(passed=1)
    monkeypatch.setenv("DETSHIM_SEED", "0x10")
    run(pytester, code.format("n=2", "0x10")).assert_outcomes(passed=1)


def test_a_process_that_dies(pytester):
    code = "@pytest.mark.repeatable(n=2)\ndef test_dies():\n    {}os.kill(os.getpid(), 9)\n"
    result = run(pytester, code.format(""))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["repeatable: in each of 2 runs the process ended with signal 9"])
    result = run(pytester, code.format("if number() == 2: "))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  outcome: call passed / its process ended with signal 9"])


def test_a_process_that_dies_after_the_test(pytester):
    code = (
        "import atexit\n@pytest.mark.repeatable(n=2)\ndef test_dies():\n    {}atexit.register({})\n"
    )
    result = run(pytester, code.format("", "os.abort"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["repeatable: in each of 2 runs the process ended with signal 6"])
    result = run(pytester, code.format("if number() == 2: ", "os._exit, 1"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["  outcome: call passed / call passed, its process ended with status 1"]
    )


def test_a_process_that_stops_pytest(pytester):
    result = run(
        pytester,
        "@pytest.mark.repeatable(n=2)\ndef test_it(): pytest.exit('over')\ndef test_after(): pass\n",
    )
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["repeatable: in each of 2 runs pytest was stopped before the test was over: *Exit: over"]
    )


def test_a_file_that_does_not_load_there_says_why(pytester):
    code = "if 'test' in os.environ.get('RAN', ''): raise KeyError('not twice')\nos.environ['RAN'] = 'test'\n"
    result = run(pytester, code + "@pytest.mark.repeatable(n=2)\ndef test_it(): pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "repeatable: pytest does not find the test in a process of its own *",
            "E *KeyError: 'not twice'",
        ]
    )
    assert "detshim: seed" not in result.stdout.str()


def test_an_alarm_in_this_process_fails_the_test_alone(pytester):
    code = """
import signal
@pytest.fixture(autouse=True, scope="session")
def alarm():
    def fail(*_): pytest.fail("Timeout (>0s) from an alarm")
    if "DETSHIM_SEED" not in os.environ:
        signal.signal(signal.SIGUSR1, fail)
        os.environ["WAITING"] = str(os.getpid())
    yield
def test_before(): pass
@pytest.mark.repeatable(n=2)
def test_it(): os.kill(int(os.environ["WAITING"]), signal.SIGUSR1)
def test_after(): pass
"""
    result = run(pytester, code)
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["repeatable: Timeout (>0s) from an alarm"])


def test_without_the_cache_and_with_warnings_as_errors(pytester):
    run(pytester, STABLE, "-p", "no:cacheprovider", "-W", "error").assert_outcomes(passed=1)


@pytest.mark.parametrize("word", ["--setup-plan", "--setup-only"])
def test_what_is_set_up_only_is_not_run(pytester, word):
    result = run(pytester, STABLE, word)
    assert result.ret == 0 and processes(pytester) == 0


def test_files_of_pytest_itself_stay_with_it(pytester):
    pytester.makeconftest("""
def pytest_addoption(parser):
    for option in ("--report-log", "--json-report-file"): parser.addoption(option)
def pytest_configure(config):
    for name in ("report_log", "json_report_file"):
        if config.getoption(name): open(config.getoption(name), "a").write("opened")
""")
    pytester.makeini("[pytest]\nlog_file = from_ini\nlog_file_level = INFO\n")
    code = """
import logging
def test_first(): logging.info("of the first process")
@pytest.mark.repeatable(n=2)
def test_it(): logging.info("of another")
"""
    words = ["--report-log=report", "--json-report-file=json", "--debug=debug"]
    for files in ([], ["--log-file=given"]):
        run(pytester, code, *words, *files).assert_outcomes(passed=2)
        for name in ("report", "json"):
            assert (pytester.path / name).read_text() == "opened"
            (pytester.path / name).unlink()
        assert str(pytester.path) in (pytester.path / "debug").read_text()
        assert "test_first" in (pytester.path / "debug").read_text()
        log = (pytester.path / ("given" if files else "from_ini")).read_text()
        assert "of the first process" in log and "of another" not in log


@pytest.mark.parametrize(
    "body",
    [
        "@pytest.fixture\ndef late():\n    yield\n    raise RuntimeError(number())\n"
        "@pytest.mark.repeatable(n=2)\ndef test_it(late): assert False\n",
        "@pytest.mark.repeatable(n=2)\n@pytest.mark.xfail\ndef test_it(): raise RuntimeError(number())\n",
        "@pytest.mark.repeatable(n=2)\ndef test_it(): pytest.xfail(str(number()))\n",
        "@pytest.mark.repeatable(n=2)\ndef test_it(): pytest.skip(str(number()))\n",
    ],
)
def test_messages_of_all_reports_count(pytester, body):
    result = run(pytester, body)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["repeatable: run 2 of 2 differs from run 1, with the seed 42", "  message: line *"]
    )


@pytest.mark.parametrize(
    "inside, said",
    [("assert number() == 9", "message: line *"), ("print(number())", "stdout, line *")],
)
def test_subtests_count(pytester, inside, said):
    if not hasattr(pytest, "Subtests"):
        pytest.skip("pytest has subtests from 9.0 on")
    result = run(pytester, "@pytest.mark.repeatable(n=2)\ndef test_it(subtests):\n"
                           "    with subtests.test(): {}\n".format("assert False" if "assert" in inside else "pass")
                           + "    with subtests.test(): {}\n".format(inside))  # fmt: skip
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["repeatable: run 2 of 2 differs from run 1, with the seed 42", "  " + said]
    )


def test_a_value_of_an_unknown_type_is_one_line(pytester):
    result = run(
        pytester,
        "@pytest.mark.repeatable\ndef test_it(repeatable_value): repeatable_value(object())\n",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*TypeError: repeatable_value takes numbers, *; not object"])


def test_a_test_whose_id_changes_is_said_so(pytester):
    result = run(
        pytester,
        "@pytest.mark.repeatable\n@pytest.mark.parametrize('n', [number()])\ndef test_it(n): pass\n",
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["repeatable: pytest does not find the test in a process of its own (its id changes, *"]
    )


def test_nothing_of_it_is_left(pytester, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(pytester.mkdir("scratch")))
    pytester.makepyfile(COUNT + STABLE)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    assert not list((pytester.path / "scratch").glob("detshim-*"))
    pytester.makepyfile(COUNT + FLAKY)
    pytester.runpytest_subprocess().assert_outcomes(failed=1)
    assert len(list((pytester.path / "scratch").glob("detshim-*"))) == 1  # its logs


UNDER = """
import detshim
def test_is_there():
    assert detshim.active() == {}
    (pathlib.Path(__file__).parent / "drawn").open("a").write(repr(random.random()) + "\\n")
"""


@pytest.mark.parametrize(
    "words", [["--detshim=7"], ["--detshim=7", "-s"], ["--detshim=0x7", "-p", "no:terminal"]]
)
def test_tests_run_under_detshim(pytester, words):
    code = UNDER.format(True)
    # The first that Python reads of the user's is under it already, and is read once.
    pytester.makeconftest(
        "import detshim, pathlib\npathlib.Path('begun').open('a').write(str(detshim.active()))\n"
    )
    for seed in (words[0], words[0], "--detshim=8"):
        assert run(pytester, code, seed, *words[1:]).ret == 0
    drawn = (pytester.path / "drawn").read_text().split()
    assert drawn[0] == drawn[1] != drawn[2]
    assert (pytester.path / "begun").read_text() == "True" * 3


def test_without_the_option_they_do_not(pytester):
    run(pytester, UNDER.format(False)).assert_outcomes(passed=1)


def test_output_reaches_its_reader_after_the_start(pytester):
    result = run(pytester, UNDER.format(True) + "    print('printed')\n", "--detshim", "-rP")
    result.stdout.fnmatch_lines(["detshim: mode enforce, seed 42", "printed", "*1 passed*"])


def test_an_option_in_the_projects_file(pytester):
    pytester.makeini("[pytest]\naddopts = --detshim=7\n")
    run(pytester, UNDER.format(True)).assert_outcomes(passed=1)


def test_the_option_and_the_marker(pytester):
    result = run(
        pytester,
        STABLE + FLAKY.replace("@pytest.mark.repeatable", "@pytest.mark.repeatable(2)"),
        "--detshim=7",
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["repeatable: run 2 of 2 differs from run 1, with the seed 7"])
    assert (
        "uncovered" not in result.stderr.str()
    )  # the processes are runs of their own, not what this one lost


@pytest.mark.parametrize(
    "words, why",
    [
        (
            ["--detshim", "test_it.py"],
            "--detshim=test_it.py is not accepted: a whole number from 0 to 2^64-1*before --detshim)",
        ),
        (["--detshim=-1"], "--detshim=-1 is not accepted: *"),
    ],
)
def test_a_seed_that_is_none_is_one_line(pytester, words, why):
    pytester.makepyfile(test_it="def test_it(): pass\n")
    result = pytester.runpytest_subprocess(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: " + why])


def test_what_would_not_pin_is_one_line(pytester, monkeypatch):
    pytester.makepyfile("def test_it(): pass\n")
    monkeypatch.setenv("DETSHIM_MODE", "off")
    result = pytester.runpytest_subprocess("--detshim")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --detshim: DETSHIM_MODE=off is in force, *"])
    result = run(pytester, "@pytest.mark.repeatable\ndef test_it(): pass\n")
    result.stdout.fnmatch_lines(
        ["repeatable: the test's process did not run under detshim (DETSHIM_MODE=off?)"]
    )


def test_another_program_that_calls_pytest_is_not_started_again(pytester):
    pytester.makepyfile("def test_it(): pass\n")
    result = pytester.run(
        sys.executable, "-c", "import pytest; print('begun'); pytest.main(['--detshim=7'])"
    )
    assert result.outlines.count("begun") == 1
    result.stderr.fnmatch_lines(
        [
            "ERROR: --detshim: pytest was called by another program; start that one by `detshim run --seed 7 --`"
        ]
    )


def test_another_seed_than_that_in_force_is_one_line(pytester):
    pytester.makepyfile("def test_it(): pass\n")
    result = pytester.run(
        detshim.command(), "run", "--seed=7", "--", sys.executable, "-m", "pytest", "--detshim=8"
    )
    result.stderr.fnmatch_lines(
        ["ERROR: --detshim=8: pytest runs under detshim already, with DETSHIM_SEED=7"]
    )
    result = pytester.run(
        detshim.command(), "run", "--seed=7", "--", sys.executable, "-m", "pytest", "--detshim=0x7"
    )
    assert result.ret == 0


@pytest.fixture
def broken_package(pytester, monkeypatch):
    """A copy of the package, in front of it; its folder of programs."""
    copy = pytester.mkdir("broken")
    shutil.copytree(pathlib.Path(detshim.__file__).parent, copy / "detshim")
    monkeypatch.setenv("PYTHONPATH", str(copy) + os.pathsep + os.environ.get("PYTHONPATH", ""))
    return copy / "detshim" / "native"


def test_a_library_that_cannot_come_up_is_one_line(pytester, broken_package):
    (broken_package / "libdetshim.so").write_bytes(b"no library")
    result = run(pytester, STABLE, "--detshim")
    assert result.ret == 126
    result.stderr.fnmatch_lines(
        ["detshim: '*' is not run: libdetshim.so does not come up in it: *"]
    )
    result = run(pytester, STABLE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["repeatable: detshim: '*' is not run: libdetshim.so does not come up in it: *"]
    )
    assert processes(pytester) == 0


def test_a_library_that_did_not_come_up_is_one_line(pytester, broken_package):
    command = broken_package / "detshim"
    command.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    result = run(pytester, STABLE, "--detshim")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --detshim: libdetshim.so does not come up in *: `detshim doctor -- * says why"]
    )
    result = run(pytester, STABLE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["repeatable: the test's process did not run under detshim*"])


def test_with_workers(pytester):
    pytest.importorskip("xdist")
    # Two workers that count in one file would lose a process.
    stable = STABLE.replace("    number()\n", "")
    result = run(pytester, UNDER.format(True) + stable + FLAKY, "--detshim=7", "-n2")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["repeatable: run 2 of 3 differs from run 1, with the seed 7"])


def test_workers_without_the_option(pytester):
    pytest.importorskip("xdist")
    run(pytester, UNDER.format(False) + STABLE, "-n2").assert_outcomes(passed=2)
    assert processes(pytester) == 3


def test_workers_that_are_not_under_it_are_said_so(pytester, broken_package):
    pytest.importorskip("xdist")
    pytester.makeconftest("import os; os.environ.pop('LD_PRELOAD', None)\n")  # as a remote one is
    result = run(pytester, STABLE, "--detshim=7", "-n1")
    assert result.ret != 0
    assert "does not run under detshim" in result.stdout.str() + result.stderr.str()
