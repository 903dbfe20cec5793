#!/usr/bin/env python3
"""bash, zsh and fish offer the values of options, those that detshim accepts, and names of files and folders.

Usage: completions.py DETSHIM LIBDETSHIM SOURCE
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

DETSHIM = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[3]).resolve()

# What is typed, and what is offered for its last word.
CASES = [
    ("detshim run --mode st", "strict"),
    ("detshim verify --mode=ob", "observe"),
    ("detshim run --policy k", "keep"),
    ("detshim verify --perturb=fill-", "fill-negative"),
    ("detshim run --disable cudnn,getrand", "cudnn,getrandom"),
    ("detshim log --accept new_f", "new_function"),
    ("detshim verify --ignore stde", "stderr"),
    ("detshim run --log a_fol", "a_folder/"),
    ("detshim verify --junit a_rep", "a_report"),
    ("detshim completion fi", "fish"),
    ("detshim attest --outp", "--output"),
    ("detshim log diff --js", "--json"),
    ("detshim env cap", "capture"),
]


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        (cls.folder / "a_folder").mkdir()
        (cls.folder / "a_report").touch()
        cls.environment = {"PATH": f"{DETSHIM.parent}:{os.environ['PATH']}", "HOME": scratch.name, "LANG": "C.UTF-8"}

    def run_in(self, *command):
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              check=False).stdout

    def check(self, typed, offered, found):
        self.assertIn(offered, found, typed)
        begin = re.split("[ =]", typed)[-1]
        self.assertEqual([one for one in found if not one.startswith(begin)], [], typed)

    def script(self, shell, name):
        (self.folder / name).write_text(self.run_in(str(DETSHIM), "completion", shell))
        return str(self.folder / name)

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_bash(self):
        script = self.script("bash", "completion")
        for typed, offered in CASES:
            words = typed.replace("=", " = ")
            found = self.run_in("bash", "--norc", "-c", f"source {script}; COMP_WORDS=({words});"
                                "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _detshim; printf '%s\\n' \"${COMPREPLY[@]}\"").split()
            self.check(typed, offered.rstrip("/"), found)  # bash itself adds the slash

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        script = self.script("fish", "detshim.fish")
        for typed, offered in CASES:
            found = self.run_in("fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'").splitlines()
            option = "".join(typed.split()[-1].rpartition("=")[:2])
            self.check(typed, offered, [line.split("\t")[0].removeprefix(option) for line in found])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        self.script("zsh", "_detshim")
        typed = [one for one, _ in CASES]
        screen = self.run_in(sys.executable, str(SOURCE / "tests/preload/programs/zsh_completion.py"), str(self.folder), *typed).replace("\a", "")
        for words, offered in CASES:
            begin = words.rpartition("=")
            line = begin[0] + begin[1] if begin[1] else words.rpartition(" ")[0] + " "
            self.assertIn(line + offered, screen, words)

    def test_values_are_those_that_are_accepted(self):
        kinds = set(re.findall(r'^  X\(\w+, "(\w+)"', (SOURCE / "tools/verdict/finding.h").read_text(), re.M))
        refused = subprocess.run([DETSHIM, "verify", "--perturb=?", "--", "true"], cwd=self.folder, env=self.environment,
                                 capture_output=True, text=True, check=False).stderr
        perturbations = set(re.split(", | and ", refused.rsplit("a list of ", 1)[1].strip()))
        modes = set(re.split(", | or ", re.search(r"--mode M +(.*)", self.run_in(str(DETSHIM), "run", "--help"))[1]))
        self.assertGreater(min(len(kinds), len(perturbations), len(modes)), 4)
        for shell in ("bash", "zsh", "fish"):
            text = (SOURCE / "tools/completion" / shell).read_text()
            lists = [set(one.split()) for one in re.findall(r"['(]((?:[a-z_-]+\s+)+[a-z_-]+)[')]", text)]
            for values in (kinds, perturbations, modes):
                self.assertIn(values, lists, shell)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
