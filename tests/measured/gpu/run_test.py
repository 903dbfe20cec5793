#!/usr/bin/env python3
"""Tests of ./run and ./pack that need no GPU: what they refuse, what they skip, how they judge.

The programs that are judged are shell scripts of a few lines; the library that they run under is real.

    run_test.py --build BUILD
"""

import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path()

RANDOM = "od -An -N8 -tx8 /dev/urandom | sed 's/^ */float /'; echo work_ms 1.5"
CLOCK = "echo float $(date +%N)"  # out of every preload's sight
CONSTANT = "echo float 1"


def quietly(command, environment):
    return subprocess.run(command, env=environment, text=True, capture_output=True, check=False)


def names_everything(*calls, why="", reasons=()):
    """A stand-in for the command, whose log names what a row asks for."""
    document = {
        "calls": [
            {
                "action": action,
                "library": library,
                "function": function,
                "count": 3,
                "examples": [{"fields": fields}],
                "why": [why],
            }
            for action, library, function, fields in calls
        ],
        "environment": [],
        "verdict": "unverified" if reasons else "covered",
        "reasons": [{"kind": kind} for kind in reasons],
    }
    return f"cat <<'EOF'\n{json.dumps(document)}\nEOF"


SEED_PINNED = names_everything(
    ("pin", "curand", "curandSetPseudoRandomGeneratorSeed", {"effective": "42"})
)
ATOMICS_MODE = names_everything(("replace", "cublas", "cublasSetAtomicsMode", {}))
LAUNCH = ("observe", "cudart", "cudaLaunchKernel", {"kernel": "_Z13contended_sumPKfPf"})
KERNEL = names_everything(LAUNCH, reasons=["kernels"])
COVERED_KERNEL = names_everything(LAUNCH)
NO_KERNEL = names_everything(("pin", "libc", "rand", {}), reasons=["kernels"])
ONE_GIVEN = ("replace", "cublaslt", "cublasLtMatmulAlgoGetHeuristic", {"found": 9, "effective": 1})
REPLAYED = names_everything(ONE_GIVEN, why="kept_choice")
NOT_REPLAYED = names_everything(ONE_GIVEN, why="not_in_tuning_file")
TIMED = names_everything(
    ("nondeterministic", "cublaslt", "cublasLtMatmulAlgoGetHeuristic", {"found": 9, "effective": 9})
)
SOLVER = names_everything(("replace", "cusolver", "cusolverDnSetDeterministicMode", {}))


def write_script(file, text):
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        (self.build / "tests" / "measured" / "gpu").mkdir(parents=True)
        (self.build / "libdetshim.so").symlink_to(BUILD / "libdetshim.so")
        self.report = self.build / "report.md"

    def add(self, **programs):
        for name, text in programs.items():
            write_script(self.build / "tests" / "measured" / "gpu" / name, text)

    def add_command(self, text=None):
        """A stand-in for the detshim command, or the real one."""
        if text is None:
            (self.build / "detshim").symlink_to(BUILD / "detshim")
        else:
            write_script(self.build / "detshim", text)

    def call(self, *arguments, environment=None):
        return quietly([HERE / "run", *arguments], os.environ | (environment or {}))

    def judge(self, name, *more):
        """Runs the script on one of the programs: its exit status, and its line about the program."""
        done = self.call(
            "--build",
            self.build,
            "--assume-gpu",
            "--runs",
            "4",
            "--timed",
            "2",
            "--only",
            name,
            "--report",
            self.report,
            *more,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith(name + " ")]
        self.assertEqual(len(lines), 1, done.stdout + done.stderr)
        return done.returncode, lines[0]


class Refused(Case):
    def expect_one_line(self, said, *arguments):
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"\Arun: [^\n]*{said}[^\n]*\n\Z")

    def test_options(self):
        self.expect_one_line("unrecognized arguments: --frobnicate", "--frobnicate")
        self.expect_one_line("'many' is no whole number from 2 on", "--runs", "many")
        self.expect_one_line("'1' is no whole number from 2 on", "--runs", "1")
        self.expect_one_line("'-1' is no whole number from 0 on", "--timed=-1")
        self.expect_one_line("'0' is no whole number from 1 on", "--jobs", "0")
        self.expect_one_line(
            "no program is called cudn; there are curand, cudnn_conv", "--only", "cudn"
        )
        self.expect_one_line("is no build folder: it holds no libdetshim.so", "--build", "/nowhere")
        self.expect_one_line(
            "there is no folder for /nowhere/report.md", "--report", "/nowhere/report.md"
        )

    def test_pack_needs_a_build(self):
        for arguments in ([], [self.build, self.build / "kit"]):
            done = quietly([HERE / "pack", *arguments], os.environ)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"\Ausage: pack BUILD KIT[^\n]*\n\Z")


class WithoutGpu(Case):
    hidden = {"CUDA_VISIBLE_DEVICES": ""}

    def test_script_skips_in_one_line(self):
        done = self.call("--build", self.build, environment=self.hidden)
        self.assertEqual(done.returncode, 77, done)
        self.assertRegex(done.stdout, r"\Askipped: no GPU: [^\n]+\n\Z")
        self.assertEqual(done.stderr, "")

    def test_plan_skips_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [HERE / "plan", "--build", self.build, "--out", folder]
            done = quietly(command, os.environ | self.hidden)
            self.assertEqual(done.returncode, 77, done)
            self.assertRegex(done.stdout, r"\Askipped: no GPU: [^\n]+\n\Z")
            self.assertIn("| smoke | skipped |", pathlib.Path(folder, "plan.md").read_text())

    def test_causes_skips_in_one_line(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        build = pathlib.Path(folder.name)
        script = pathlib.Path(__file__).with_name("causes")
        run_it = [sys.executable, script, "--build", build]
        own = {**os.environ, "DETSHIM_TEST_PYTHON": "/bin/false"}
        self.assertEqual(
            subprocess.run(run_it, env=own, capture_output=True, check=False).returncode, 2
        )
        (build / "detshim").touch()
        (build / "libdetshim.so").touch()
        program = build / "causes"
        program.write_text("#!/bin/sh\nexit 77\n")
        program.chmod(0o755)
        done = subprocess.run(run_it, env=own, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 77, done)
        self.assertRegex(done.stdout, r"\Askipped: no GPU[^\n]+\n\Z")

    def test_causes_judges_by_the_first_that_is_named(self):
        """A detshim of a few lines names what it is told to; a device is played by a program that exits with 0."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        build = pathlib.Path(folder.name)
        (build / "libdetshim.so").touch()

        def script_of(name, text):
            (build / name).write_text("#!/bin/sh\n" + text)
            (build / name).chmod(0o755)

        def run_with(sparse):
            script_of(
                "detshim",
                """case "$*" in
*none) echo "{}"; exit 0 ;;
*atomics) function=cublasSgemm_v2 ;;
*) function=SPARSE ;;
esac
[ "$DETSHIM_FINGERPRINT" = calls ] || function=cudaMemcpy
echo '{"first_cause": {"cause": {"record": {"function": "'$function'"}}}}'
exit 1
""".replace("SPARSE", sparse),
            )
            return subprocess.run(
                [sys.executable, pathlib.Path(__file__).with_name("causes"), "--build", build],
                env={**os.environ, "DETSHIM_TEST_PYTHON": "/bin/false", "LD_PRELOAD": ""},
                text=True,
                capture_output=True,
                check=False,
            )

        script_of("causes", '[ "$1" != cost ] || echo microseconds 2.5\n')
        done = run_with("cublasSgemm_v2")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("well    sparse, calls: named first: cublasSgemm_v2", done.stdout)
        self.assertIn("well    atomics, host: named first: cudaMemcpy", done.stdout)
        self.assertIn("fingerprint calls: 2.50 us", done.stdout)
        done = run_with("cusparseSpMM")
        self.assertIn("FAILED  sparse, calls: named first: cusparseSpMM", done.stdout)

    def test_programs_skip_in_one_line(self):
        files = (BUILD / "tests" / "measured" / "gpu").glob("*")
        programs = [file for file in files if file.is_file() and os.access(file, os.X_OK)]
        if not programs:
            self.skipTest("the programs are not built: nvcc or a library was not found")
        environment = os.environ | self.hidden
        find_libraries(programs, environment)
        for program in programs:
            with self.subTest(program=program.name):
                done = quietly([program], environment)
                self.assertEqual(done.returncode, 77, done)
                self.assertRegex(done.stderr, r"\Ano CUDA device: [^\n]+\n\Z")
                self.assertEqual(done.stdout, "")
                wrong = quietly([program, "--determinstic"], environment)
                self.assertEqual(wrong.returncode, 2, wrong)
                self.assertRegex(wrong.stderr, r"\A[^\n]*unknown argument --determinstic[^\n]*\n\Z")

    def test_kit_has_a_command_that_starts(self):
        kit = self.build / "kit"
        subprocess.run([HERE / "pack", BUILD, kit], check=True, stdout=subprocess.DEVNULL)
        done = quietly([kit / "detshim", "--version"], {"LD_LIBRARY_PATH": str(kit / "lib")})
        self.assertEqual(done.returncode, 0, done)
        self.assertTrue((kit / "libdetshim.so").exists())
        # libc's own libraries must be those of the machine.
        self.assertFalse(list(kit.glob("lib/libc.so*")))
        self.assertFalse(list(kit.glob("lib/libstdc++.so*")))


class Judged(Case):
    def test_repeats(self):
        self.add(curand=RANDOM)
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 0, line)
        self.assertRegex(line, r"^curand +4 +1 +1\.00 +1\.00 +[0-9.]+  repeats$")

    def test_differs_under_the_shim(self):
        self.add(curand=CLOCK + "; echo half 7")
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertRegex(line, r"^curand +4 +4 .*  DIFFERS under detshim: float$")

    def test_a_variable_is_set_under_the_shim_alone(self):
        self.add(curand='test "$GIVEN" = 7 && echo float 1 || ' + RANDOM)
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand", "--set", "GIVEN=7")
        self.assertRegex(line, r"^curand +4 +1 ")

    def test_no_difference_proves_nothing(self):
        self.add(cublas_symv=CONSTANT + "; od -N1 /dev/urandom >/dev/null")
        self.add_command(ATOMICS_MODE)
        status, line = self.judge("cublas_symv")
        self.assertEqual(status, 1)
        self.assertRegex(line, r" 1 +1 .*  unproven: no difference without detshim$")

    def test_no_difference_is_well_where_it_may_be(self):
        self.add(cusolver=CONSTANT + "; od -N1 /dev/urandom >/dev/null")
        self.add_command(SOLVER)
        status, line = self.judge("cusolver")
        self.assertEqual(status, 0, line)
        self.assertIn("unproven", line)

    def test_crash(self):
        self.add(curand="echo float 1; echo a.cu:7: boom >&2; exit 3")
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertTrue(line.endswith("FAILS without detshim: exit status 3: a.cu:7: boom"), line)

    def test_crash_under_the_shim_alone(self):
        self.add(curand=RANDOM + '; [ -z "$DETSHIM_SEED" ] || exit 5')
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertIn("FAILS under detshim: exit status 5", line)

    def test_a_side_that_fails_does_not_stop_the_others(self):
        self.add(curand=f'if [ "$DETSHIM_SEED" ]; then echo boom >&2; exit 5; fi; {RANDOM}')
        self.add_command(SEED_PINNED)
        _, line = self.judge("curand", "--jobs", "1")
        self.assertRegex(line, r"^curand +4 ")
        self.assertIn("- under detshim: exit status 5: boom ×1", self.report.read_text())

    def test_crash_of_the_librarys_own_setting(self):
        self.add(curand=RANDOM + '; [ "$1" != --deterministic ]')
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertIn("FAILS --deterministic: exit status 1", line)

    def test_no_output_and_wrong_output(self):
        self.add(curand="true")
        self.add_command(SEED_PINNED)
        self.assertIn("printed no result", self.judge("curand")[1])
        self.add(curand="echo nonsense")
        self.assertIn("printed 'nonsense', which is no result", self.judge("curand")[1])

    def test_one_variant_fails(self):
        self.add(curand=f"{RANDOM}; echo half failed b.cu:9: call: status 3")
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertRegex(
            line, r"^curand +4 +1 .*  FAILS without detshim: half: b\.cu:9: call: status 3$"
        )
        self.assertIn("- under detshim: half: b.cu:9: call: status 3 ×4", self.report.read_text())

    def test_missing_program(self):
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertIn("the program is missing", line)

    def test_missing_program_that_is_optional(self):
        status, line = self.judge("nccl")
        self.assertEqual(status, 0)
        self.assertIn("not built", line)

    def test_unsupported_under_the_shim_alone(self):
        self.add(
            curand=f'{RANDOM}; if [ "$DETSHIM_SEED" ]; then echo half unsupported; else echo half 1; fi'
        )
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertIn("BROKEN: unsupported under detshim alone: half", line)

    def test_unsupported_on_both_sides_is_shown(self):
        self.add(curand=f"{RANDOM}; echo half unsupported")
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 0, line)
        self.assertIn("| half | unsupported | unsupported |", self.report.read_text())

    def test_all_unsupported_is_no_result(self):
        self.add(cusolver="echo float unsupported; od -N1 /dev/urandom >/dev/null")
        self.add_command(SOLVER)
        status, line = self.judge("cusolver")
        self.assertEqual(status, 1)
        self.assertIn("FAILS without detshim: every variant is unsupported", line)

    def test_unsupported_without_the_shim_alone_is_shown(self):
        self.add(
            curand=f'{RANDOM}; if [ "$DETSHIM_SEED" ]; then echo half 1; else echo half unsupported; fi'
        )
        self.add_command(SEED_PINNED)
        self.judge("curand")
        self.assertIn("| half | unsupported | 1 |", self.report.read_text())

    def test_atomics_are_reported(self):
        self.add(atomics=f"{CLOCK}; od -N1 /dev/urandom >/dev/null")
        self.add_command(KERNEL)
        status, line = self.judge("atomics")
        self.assertEqual(status, 0, line)
        self.assertRegex(line, r"^atomics +4 +4 .*  not fixable: reported$")

    def test_atomics_that_the_log_does_not_name(self):
        self.add(atomics=f"{CLOCK}; od -N1 /dev/urandom >/dev/null")
        self.add_command(NO_KERNEL)
        status, line = self.judge("atomics")
        self.assertEqual(status, 1)
        self.assertRegex(line, r"the log does not say so: nothing in it matches .*contended_sum")

    def test_atomics_of_which_the_verdict_says_nothing(self):
        self.add(atomics=f"{CLOCK}; od -N1 /dev/urandom >/dev/null")
        self.add_command(COVERED_KERNEL)
        status, line = self.judge("atomics")
        self.assertEqual(status, 1)
        self.assertIn("the log does not say so: its verdict has no reason kernels", line)

    def tuned(self, log=REPLAYED, replayed="echo float 7; echo work_ms 2"):
        """A program that chooses by time, unless it is given one candidate."""
        self.add(
            cublaslt='case "$1$DETSHIM_AUTOTUNE" in '
            f'record:*) touch "${{DETSHIM_AUTOTUNE#*:}}"; {CLOCK};; '
            f'replay:*) [ -f "${{DETSHIM_AUTOTUNE#*:}}" ] || exit 8; {replayed};; '
            f"--det*) {CONSTANT}; echo work_ms 8;; "
            f'*) [ "$DETSHIM_SEED" ] && {CONSTANT} || {CLOCK}; echo work_ms 4;; esac; '
            "od -N1 /dev/urandom >/dev/null"
        )
        self.add_command(log)
        return self.judge("cublaslt")

    def test_recorded_tuning(self):
        status, line = self.tuned()
        self.assertEqual(status, 0, line)
        self.assertRegex(line, r"^cublaslt +4 +1 +1\.00 +0\.50 +[0-9.]+  repeats$")
        self.assertRegex(
            self.report.read_text(),
            "4 under replay: 1 distinct\\. Work, replayed: 0\\.50 of the "
            "default's \\(first\\), 0\\.25 of the library's own",
        )

    def test_recorded_tuning_that_differs(self):
        status, line = self.tuned(replayed=CLOCK)
        self.assertEqual(status, 1)
        self.assertIn("DIFFERS under replay: float", line)

    def test_recorded_tuning_that_loses_a_variant(self):
        status, line = self.tuned(replayed="echo float unsupported")
        self.assertEqual(status, 1)
        self.assertIn("BROKEN: unsupported under replay alone: float", line)

    def test_recorded_tuning_that_fails(self):
        status, line = self.tuned(replayed="exit 6")
        self.assertEqual(status, 1)
        self.assertIn("FAILS under replay: exit status 6", line)

    def test_nothing_replayed(self):
        status, line = self.tuned(log=NOT_REPLAYED)
        self.assertEqual(status, 1)
        self.assertIn("the log does not say so: nothing was replayed", line)

    def test_what_was_left_alone_is_no_proof(self):
        status, line = self.tuned(log=TIMED)
        self.assertEqual(status, 1)
        self.assertIn("the log does not say so: nothing in it matches ^replace cublaslt", line)

    def test_no_log(self):
        self.add(curand=CONSTANT)
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertIn("the run wrote no log", line)

    def test_the_command_does_not_start(self):
        self.add(curand=RANDOM)
        self.add_command("echo libspdlog.so: cannot open >&2; exit 127")
        status, line = self.judge("curand")
        self.assertEqual(status, 1)
        self.assertIn("`detshim log` does not work here: libspdlog.so: cannot open", line)

    def test_the_real_command(self):
        self.add(curand=RANDOM)
        self.add_command()
        status, line = self.judge("curand")
        self.assertEqual(status, 1)  # cuRAND was not called
        self.assertIn("nothing in it matches", line)
        self.assertRegex(self.report.read_text(), r"(?m)^- pin libc \S*open\S* ×\d+$")

    def test_ratios(self):
        self.add(
            curand=f'{RANDOM}; if [ "$1" ]; then echo work_ms 4; '
            'elif [ "$DETSHIM_SEED" ]; then echo work_ms 3; else echo work_ms 2; fi'
        )
        self.add_command(SEED_PINNED)
        _, line = self.judge("curand")
        self.assertRegex(line, r"^curand +4 +1 +1\.50 +0\.75 ")

    def test_nothing_timed(self):
        self.add(curand=RANDOM)
        self.add_command(SEED_PINNED)
        status, line = self.judge("curand", "--timed", "0")
        self.assertEqual(status, 0, line)
        self.assertRegex(line, r"^curand +4 +1 +– +– +–  repeats$")

    def test_time_is_up(self):
        self.add(curand=RANDOM, cusolver=RANDOM)
        done = self.call(
            "--build",
            self.build,
            "--assume-gpu",
            "--only",
            "curand",
            "--only",
            "cusolver",
            "--seconds",
            "0",
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("Not begun within --seconds 0: curand, cusolver\n", done.stdout)

    def test_report(self):
        self.add(curand=RANDOM)
        self.add_command(SEED_PINNED)
        self.judge("curand")
        text = self.report.read_text()
        self.assertRegex(text, r"(?m)^`tests/measured/gpu/run --build .* --only curand .*`$")
        self.assertRegex(
            text, r"(?m)^\| `curand` \| 4 \| 1 \| repeats \| 1\.00 \| 1\.00 \| [0-9.]+ \|$"
        )
        self.assertIn("- pin curand curandSetPseudoRandomGeneratorSeed ×3", text)
        self.assertIn("| float | 4 | 1 |", text)
        self.assertIn("versions unknown: the program `versions` is missing", text)

    def test_the_callers_settings_do_not_leak_in(self):
        # Under detshim the library itself sets the first.
        names = (
            "CUBLAS_WORKSPACE_CONFIG",
            "DETSHIM_MODE",
            "NVIDIA_TF32_OVERRIDE",
            "CUBLAS_EMULATE_DOUBLE_PRECISION",
        )
        self.add(
            curand=f'{RANDOM}; [ "$DETSHIM_SEED" ] || '
            f'[ -z "{"".join("$" + name for name in names)}" ] || exit 9'
        )
        self.add_command(SEED_PINNED)
        done = self.call(
            "--build",
            self.build,
            "--assume-gpu",
            "--runs",
            "2",
            "--only",
            "curand",
            environment=dict.fromkeys(names, "off"),
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_all_that_detshim_sets_is_dropped(self):
        page = quietly([BUILD / "detshim", "options", "--markdown"], os.environ).stdout
        (table,) = re.findall(r"enforce and strict set\n.*?\n## ", page, re.DOTALL)
        names = set(re.findall(r"(?m)^\| `(\w+)`", table))
        self.assertIn("NCCL_PROTO", names)
        self.assertLessEqual(names, the_script()["DROPPED"])


def the_script():
    """What the script defines."""
    script = types.ModuleType("run")
    script.__file__ = str(HERE / "run")
    sys.modules["run"] = script  # its dataclasses look themselves up there
    exec(compile((HERE / "run").read_text(), HERE / "run", "exec"), vars(script))
    return vars(script)


def find_libraries(programs, environment):
    """The script's own search."""
    return the_script()["find_libraries"](programs, environment)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] != "--build":
        sys.exit("usage: run_test.py --build BUILD")
    BUILD = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
