#!/usr/bin/env python3
"""Each wrong use ends in a status that its verb's help has, with one line that names what is wrong and, where a set of
values is accepted, says which; nothing is printed beside it, and no file is left.

Usage: wrong_uses.py DETSHIM LIBDETSHIM SOURCE [--show]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DETSHIM, LIBRARY = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
LONGEST = 300
MISSING = "No such file or directory"
DENIED = "Permission denied"
MODES = "enforce, record, observe, strict or off"
NUMBER = "a whole number from 0 to 2^64-1"
OF_RUNS = "a number of runs from 2 to 100000"
PYTHON = ["--", "/usr/bin/python3", "-c", "print(1)"]

# The words after `detshim`, what the line must hold, the status if it is not 2. A word that begins with @ is a file below.
USES = [
    ([], ["a verb is missing", "run, verify"]),
    (["dance"], ["'dance'", "run, verify"]),
    (["verfiy"], ["'verfiy'", "did you mean verify?"]),
    ([""], ["''", "run, verify"]),
    (["--bogus"], ["--bogus"]),
    (["--version=3"], ["--version=3", "takes no value"]),
    (["--lib", "more"], ["'more'"]),
    (["help", "dance"], ["'dance'"]),
    (["-x"], ["-x"]),
    (["run"], ["no program"]),
    (["run", "--"], ["no program"]),
    (["run", "--sed", "7", *PYTHON], ["--sed", "did you mean --seed?"]),
    (["run", "-q", *PYTHON], ["-q"]),
    (["run", "--seed"], ["--seed", "without its N"]),
    (["run", "--seed=", *PYTHON], ["--seed", "without its N"]),
    (["run", "--seed", "seven", *PYTHON], ["--seed 'seven'", NUMBER]),
    (["run", "--seed", "-1", *PYTHON], ["--seed '-1'", NUMBER]),
    (["run", "--seed", "nan", *PYTHON], ["--seed 'nan'", NUMBER]),
    (["run", "--seed", "18446744073709551616", *PYTHON], ["--seed '18446744073709551616'", NUMBER]),
    (["run", "--mode", "fast", *PYTHON], ["--mode 'fast'", MODES]),
    (["run", "--mode=", *PYTHON], ["--mode", "without its M"]),
    (["run", "--policy", "odd", *PYTHON], ["--policy 'odd'", "fixed, keep or vary"]),
    (
        ["run", "--seed", "1", "--disable", "cudn", *PYTHON],
        ["DETSHIM_DISABLE", "cudn", "libraries, hooks"],
    ),
    (["run", "--quiet=0", *PYTHON], ["--quiet=0", "takes no value"]),
    (["run", "--freeze", "nowhere", *PYTHON], ["--freeze 'nowhere'", "train.py:7"]),
    (["run", "--freeze", "train.py:3x", *PYTHON], ["--freeze 'train.py:3x'", "train.py:7"]),
    (["run", "--freeze", "libfoo.so+0xg", *PYTHON], ["--freeze 'libfoo.so+0xg'", "+0x1234"]),
    (["verify", "--until", "a", "--output", "b", *PYTHON], ["--until", "--output"]),
    (["verify", "--until", "a(", *PYTHON], ["--until", "a("]),
    (["run", "--freeze-from", "gone", *PYTHON], ["--freeze-from 'gone'"]),
    (["run", "--library", "gone.so", *PYTHON], ["--library 'gone.so'", MISSING]),
    (["run", "--library", "@folder", *PYTHON], ["--library 'folder'"]),
    (["run", "--library", "@text", *PYTHON], ["text"], 126),
    (["run", "--log", "@text", *PYTHON], ["'text'", "Not a directory"]),
    (["run", "--log", "@closed/log", *PYTHON], ["'closed/log'", DENIED]),
    (["run", "--", "no-such-program"], ["'no-such-program'", MISSING], 127),
    (["run", "--", ""], ["''", MISSING], 127),
    (["run", "--", "./gone/program"], ["'./gone/program'", MISSING], 127),
    (["run", "--", "@./folder"], ["'./folder'", DENIED], 126),
    (["run", "--", "@./text"], ["'./text'", DENIED], 126),
    (["run", "@script.py"], ["'script.py'", MISSING, "python3 script.py runs it"], 127),
    (
        ["run", "--seed", "1", "--", "@./broken_script"],
        ["'./broken_script'", "/no/such/interpreter"],
        127,
    ),
    (["verify"], ["no program"]),
    (["verify", "--outptu", "x", *PYTHON], ["--outptu", "did you mean --output?"]),
    (["verify", "-n", "1", *PYTHON], ["--runs: '1'", OF_RUNS]),
    (["verify", "-n", "-3", *PYTHON], ["--runs: '-3'", OF_RUNS]),
    (["verify", "-n", "two", *PYTHON], ["--runs: 'two'", OF_RUNS]),
    (["verify", "-n", "2.5", *PYTHON], ["--runs: '2.5'", OF_RUNS]),
    (
        ["verify", "-n", "99999999999999999999", *PYTHON],
        ["--runs: '99999999999999999999'", OF_RUNS],
    ),
    (["verify", "--runs=", *PYTHON], ["--runs", "without its N"]),
    (["verify", "--metric", "(", *PYTHON], ["--metric '('"]),
    (["verify", "--metric", "loss", *PYTHON], ["--metric 'loss'", "one group"]),
    (["verify", "--volatile", "[", *PYTHON], ["--volatile '['"]),
    (["verify", "--metric", "(.)", "--rtol", "nan", *PYTHON], ["--rtol: 'nan'", "not negative"]),
    (["verify", "--metric", "(.)", "--rtol", "-1", *PYTHON], ["--rtol: '-1'", "not negative"]),
    (
        ["verify", "--metric", "(.)", "--atol", "1e999", *PYTHON],
        ["--atol: '1e999'", "not negative"],
    ),
    (
        ["verify", "--metric", "(.)", "--atol", "little", *PYTHON],
        ["--atol: 'little'", "not negative"],
    ),
    (["verify", "--rtol", "0.1", *PYTHON], ["--metric REGEX is missing"]),
    (["verify", "--output", *PYTHON], ["--output '--'", "GLOB is missing"]),
    (["verify", "--output=", *PYTHON], ["--output", "without its GLOB"]),
    (["verify", "--output", "a/**/b", *PYTHON], ["--output 'a/**/b'"]),
    (["verify", "--output"], ["--output", "without its GLOB"]),
    (["verify", "--perturb=colour", *PYTHON], ["--perturb 'colour'", "aslr", "umask"]),
    (["verify", "--resume", "later", *PYTHON], ["--resume 'later'", "kill after REGEX"]),
    (["verify", "--timeout", "-1", *PYTHON], ["--timeout", "-1", "seconds"]),
    (["verify", "--timeout", "soon", *PYTHON], ["--timeout", "soon", "seconds"]),
    (["verify", "--accept", "all", *PYTHON], ["--accept 'all'", "KIND:NAME"]),
    (["verify", "--junit", "gone/report.xml", *PYTHON], ["'gone/report.xml'", MISSING]),
    (["verify", "--junit", "@folder", *PYTHON], ["'folder'", "Is a directory"]),
    (["verify", "--markdown", "@folder", *PYTHON], ["'folder'", "Is a directory"]),
    (["verify", "--sarif", "@closed/report", *PYTHON], ["'closed/report'", DENIED]),
    (["verify", "--log", "@log", *PYTHON], ["log'", "new or empty"]),
    (["verify", "--mode", "off", "--seed", "x", *PYTHON], ["--seed 'x'", NUMBER]),
    (["verify", "--", "no-such-program"], ["'no-such-program'", MISSING]),
    (["verify", "--", "@./folder"], ["'./folder'", DENIED]),
    (["verify", "--", "@./text"], ["'./text'", DENIED]),
    (["verify", "@script.py"], ["'script.py'", MISSING, "python3 script.py runs it"]),
    (["patch", "gone"], ["'gone'", MISSING]),
    (["patch", "@folder"], ["no log in 'folder'", "detshim run"]),
    (["patch", "@closed"], ["'closed'", DENIED]),
    (["patch", "--seed", "-1", "@log"], ["--seed", "'-1'", "below 2^32"]),
    (["patch", "--seed", "4294967296", "@log"], ["'4294967296'", "below 2^32"]),
    (["log", "gone"], ["'gone'", MISSING]),
    (["log", "@text"], ["'text'", "Not a directory"]),
    (["log", "@folder"], ["no log in 'folder'", "detshim run"]),
    (["log", "@foreign"], ["'foreign'"]),
    (["log", "@newer"], ["'newer'", "format 99"]),
    (["log", "@cut"], ["'cut'"]),
    (["log", "@closed"], ["'closed'", DENIED]),
    (["log", "@closed_log"], ["'closed_log'", DENIED]),
    (["log", "@log", "--run", "yesterday"], ["'yesterday'", "newest"]),
    (["log", "@log", "--accept", "all"], ["--accept 'all'", "KIND:NAME"]),
    (["log", "@log", "@folder"], ["folder"]),
    (["log", "--chekc"], ["--chekc", "did you mean --check?"]),
    (["log"], ["detshim-log/latest", MISSING]),
    (["log", "diff"], ["A is required", "detshim log diff --help"]),
    (["log", "diff", "@log"], ["B is required"]),
    (["log", "diff", "@log", "gone"], ["'gone'", MISSING]),
    (["log", "diff", "@log", "@text"], ["no log in 'text'"]),
    (["log", "diff", "@log", "@folder"], ["no log in 'folder'"]),
    (["log", "diff", "@newer", "@log"], ["newer", "format 99"]),
    (["log", "diff", "@closed", "@log"], ["'closed'", DENIED]),
    (["log", "diff", "@log", "@log", "@log"], ["not expected: log"]),
    (["report", "gone"], ["'gone'", MISSING]),
    (["report", "@folder"], ["'folder'", "neither a log nor"]),
    (["report", "@text"], ["'text'", "verify --json"]),
    (["report", "@cut.json"], ["'cut.json'", "verify --json"]),
    (["report", "@newer.json"], ["'newer.json'", "schema version 99"]),
    (["report", "@closed.json"], ["'closed.json'", DENIED]),
    (["report", "@verified.json", "-o", "gone/report.html"], ["'gone/report.html'", MISSING]),
    (["report", "@verified.json", "-o", "@folder"], ["'folder'", "Is a directory"]),
    (["report", "@verified.json", "-o", "@closed/report.html"], ["'closed/report.html'", DENIED]),
    (["attest"], ["'detshim-log/latest'", "detshim verify"]),
    (["attest", "@closed/verify.json"], ["'closed/verify.json'", DENIED]),
    (["attest", "gone"], ["'gone'", MISSING]),
    (["attest", "@folder"], ["'folder/verify.json'", MISSING]),
    (["attest", "@cut.json"], ["'cut.json'", "verify --json"]),
    (["attest", "@newer.json"], ["'newer.json'", "99"]),
    (["attest", "@closed.json"], ["'closed.json'", DENIED]),
    (["attest", "@verified.json", "-o", "gone/statement.json"], ["'gone/statement.json'", MISSING]),
    (["doctor", "--library", "gone.so"], ["--library 'gone.so'", MISSING]),
    (["doctor", "--libary", "x"], ["--libary", "did you mean --library?"]),
    (["env"], ["capture, diff, show"]),
    (["env", "dif"], ["'dif'", "did you mean diff?"]),
    (["env", "capture", "gone"], ["'gone'", MISSING]),
    (["env", "capture", "@folder"], ["no log in 'folder'"]),
    (["env", "capture", "-o", "gone/here.json"], ["'gone/here.json'", MISSING]),
    (["env", "diff", "@log"], ["B is required"]),
    (["env", "diff", "gone", "@log"], ["'gone'", MISSING]),
    (["env", "diff", "@text", "@log"], ["'text'"]),
    (["env", "show", "gone"], ["'gone'", MISSING]),
    (["env", "show", "@folder"], ["no environment in 'folder'"]),
    (["env", "show", "@newer.json"], ["'newer.json'"]),
    (["env", "show", "@closed.json"], ["'closed.json'", DENIED]),
    (["scan"], ["no file"]),
    (["scan", "gone"], ["'gone'", MISSING]),
    (["scan", "@folder"], ["'folder'"]),
    (["scan", "@text"], ["'text'"]),
    (["scan", "@cut_program"], ["'cut_program'"]),
    (["scan", "@closed.json"], ["'closed.json'", DENIED]),
    (["scan", "--gpu", "gone"], ["'gone'", MISSING]),
    (["scan", "--gpu", "@text"], ["'text'", "no code for a GPU", ".cubin"]),
    (["scan", "--gpu", "@closed.json"], ["closed.json'", DENIED]),
    (["scan", "--gpu", "--arch", "volta", "@text"], ["--arch", "volta", "sm_70"]),
    (["scan", "--arch", "sm_90", "@text"], ["--arch", "--gpu"]),
    (["hooks", "--library", "gone.so"], ["--library 'gone.so'", MISSING]),
    (["hooks", "--library", "@text"], ["text'"]),
    (["hooks", "more"], ["not expected: more"]),
    (["options", "--markdwon"], ["--markdwon", "did you mean --markdown?"]),
    (["completion"], ["SHELL"]),
    (["completion", "csh"], ["'csh'", "bash, zsh or fish"]),
    (["completion", "bash", "zsh"], ["not expected: zsh"]),
]


def prepare(folder):
    """The files that the table names, and a command in front of detshim that lets root have no more rights than others."""
    (folder / "folder").mkdir()
    (folder / "text").write_text("a text\n")
    (folder / "script.py").write_text("print(1)\n")
    (folder / "broken_script").write_text("#!/no/such/interpreter\n")
    (folder / "broken_script").chmod(0o755)
    shutil.copy("/bin/true", folder / "cut_program")
    os.truncate(folder / "cut_program", 200)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    script = ["/usr/bin/python3", "-B", "-c", "import random; print(random.random())"]
    for words in (["run", "--quiet", "--seed", "1", "--log", "log"], ["verify", "--log", "kept"]):
        subprocess.run(
            [DETSHIM, *words, "--library", LIBRARY, "--", *script],
            cwd=folder,
            env=environment,
            capture_output=True,
            check=True,
        )
    text = (folder / "kept/verify.json").read_text()
    shutil.rmtree(folder / "kept")
    (folder / "verified.json").write_text(text)
    (folder / "cut.json").write_text(text[: len(text) // 2])
    (folder / "newer.json").write_text(text.replace('"schema_version": 1', '"schema_version": 99'))
    (folder / "closed.json").write_text(text)
    records = next((folder / "log").glob("*.jsonl"))
    for name, content in (
        ("foreign", "not a record\n"),
        ("cut", records.read_text()[:20]),
        ("newer", records.read_text().replace('"v":1', '"v":99', 1)),
        ("closed_log", records.read_text()),
    ):
        (folder / name).mkdir()
        (folder / name / records.name).write_text(content)
    (folder / "closed").mkdir(mode=0)
    for name in ("closed.json", f"closed_log/{records.name}"):
        (folder / name).chmod(0)
    if os.geteuid() != 0:
        return environment, []
    no_rights = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    is_denied = (
        subprocess.run(
            [*no_rights, "cat", folder / "closed.json"], capture_output=True, check=False
        ).returncode
        == 1
    )
    return environment, no_rights if is_denied else None


def tree(folder):
    return sorted(
        (str(at), file.lstat().st_mtime_ns)
        for at, _, files in os.walk(folder)
        for file in map(pathlib.Path(at).joinpath, files)
    )


def faults(folder, parts, status, result, is_changed):
    line = result.stderr.replace(
        f"{folder}/", ""
    )  # how deep the scratch folder lies is not the line's fault
    if result.returncode != status:
        yield f"status {result.returncode}, not {status}"
    if result.stdout:
        yield f"prints {result.stdout[:80]!r}"
    if not re.fullmatch(r"detshim: [^\n]+\n", line):
        yield "not one line"
    if len(line.encode()) > LONGEST + 1:
        yield f"{len(line)} bytes"
    if re.search(r"\berror \d|errno|exception|_M_|\[json", line):
        yield "no words for people"
    for part in parts:
        if part not in line:
            yield f"does not hold {part!r}"
    if is_changed:
        yield "leaves a file"


def main():
    bad = skipped = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        environment, no_rights = prepare(folder)
        for words, parts, *status in USES:
            words = [word.removeprefix("@") for word in words]
            needs_no_rights = any("closed" in word for word in words)
            if needs_no_rights and no_rights is None:
                skipped += 1
                continue
            before = tree(folder)
            result = subprocess.run(
                [*(no_rights if needs_no_rights else []), DETSHIM, *words],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            found = list(
                faults(folder, parts, status[0] if status else 2, result, tree(folder) != before)
            )
            bad += bool(found)
            if found or "--show" in sys.argv:
                print(
                    f"detshim {' '.join(words)}\n  {result.stderr.rstrip()}"
                    + "".join(f"\n  FAULT {one}" for one in found)
                )
        if no_rights is not None:  # the library speaks for itself
            draws = subprocess.run(
                [*no_rights, "/usr/bin/od", "-N4", "/dev/urandom"],
                cwd=folder,
                capture_output=True,
                text=True,
                env=environment
                | {"LD_PRELOAD": LIBRARY, "DETSHIM_SEED": "1", "DETSHIM_LOG": "closed/log"},
                check=False,
            )
            if "closed/log (Permission denied); nothing is recorded\n" not in draws.stderr:
                print(f"the library's line about a log that it cannot write:\n  {draws.stderr}")
                bad += 1
        (folder / "closed").chmod(0o700)
    print(
        f"{len(USES)} wrong uses, {bad} of them with a fault, {skipped} skipped: no way to be refused a file"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
