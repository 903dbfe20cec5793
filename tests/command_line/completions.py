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
    ("detshim verify --perturb=clock,umas", "clock,umask"),
    ("detshim log --accept=unexpl", "unexplained_seed"),
]


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        (cls.folder / "a_folder").mkdir()
        (cls.folder / "a_report").touch()
        cls.environment = {
            "PATH": f"{DETSHIM.parent}:{os.environ['PATH']}",
            "HOME": scratch.name,
            "LANG": "C.UTF-8",
        }

    def run_in(self, *command):
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        ).stdout

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
            found = self.run_in(
                "bash",
                "--norc",
                "-c",
                f"source {script}; COMP_WORDS=({words});"
                "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _detshim; printf '%s\\n' \"${COMPREPLY[@]}\"",
            ).split()
            self.check(typed, offered.rstrip("/"), found)  # bash itself adds the slash

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        script = self.script("fish", "detshim.fish")
        for typed, offered in CASES:
            found = self.run_in(
                "fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'"
            ).splitlines()
            option = "".join(typed.split()[-1].rpartition("=")[:2])
            self.check(typed, offered, [line.split("\t")[0].removeprefix(option) for line in found])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        self.script("zsh", "_detshim")
        typed = [one for one, _ in CASES]
        screen = self.run_in(
            sys.executable,
            str(SOURCE / "tests/preload/programs/zsh_completion.py"),
            str(self.folder),
            *typed,
        ).replace("\a", "")
        for words, offered in CASES:
            begin = words.rpartition("=")
            line = begin[0] + begin[1] if begin[1] else words.rpartition(" ")[0] + " "
            self.assertIn(line + offered, screen, words)

    def offered(self, *words):
        """What the scripts are told, without where the shell looks itself."""
        lines = self.run_in(str(DETSHIM), "completion", "--words", *words).splitlines()
        return {line.split("\t")[0] for line in lines if not line.startswith(":")}

    def test_values_are_those_that_are_accepted(self):
        finding_rows = re.findall(
            r'^  X\(\w+, "(\w+)"', (SOURCE / "tools/verdict/finding.h").read_text(), re.M
        )
        refused = subprocess.run(
            [DETSHIM, "verify", "--perturb=?", "--", "true"],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        ).stderr
        perturbations = set(re.split(", | and ", refused.rsplit("a list of ", 1)[1].strip()))
        help_of_mode = re.search(r"--mode M +(.*)", self.run_in(str(DETSHIM), "run", "--help"))
        modes = set(re.split(", | or ", help_of_mode[1]))
        self.assertGreater(min(len(finding_rows), len(perturbations), len(modes)), 4)
        self.assertEqual(self.offered("verify", "--accept", ""), set(finding_rows))
        self.assertEqual(self.offered("verify", "--perturb="), perturbations)
        self.assertEqual(self.offered("run", "--mode", ""), modes)

    def test_words_are_those_of_the_help(self):
        """Each verb and each long option of the help, and no other."""
        above = [()]
        for words in above:  # grows
            text = self.run_in(str(DETSHIM), *words, "--help")
            options = re.findall(r"^  (?:-.,)?(--[-a-z]+)", text, re.M)
            listed = text.split("\nSubcommands:\n")[1] if "\nSubcommands:\n" in text else ""
            verbs = re.findall(r"^  ([a-z]+) ", listed.split("\n\n")[0], re.M)
            self.assertGreater(len(options), 0)
            offered = self.offered(*words, "")
            own_values = self.offered(*words, "") - set(options) - set(verbs)
            self.assertEqual(offered - own_values, set(options) | set(verbs), words)
            self.assertLessEqual(own_values, {"bash", "zsh", "fish"}, words)
            above += [(*words, verb) for verb in verbs]
        self.assertGreater(len(above), 12)

    def test_program_is_left_to_the_shell(self):
        for words, begin in (
            (["run", "--", "pyth"], 2),
            (["run", "--seed", "7", "python3", "tr"], 3),
            (["verify", "--mode=strict", "tra"], 2),
            (["doctor", "tra"], 1),
        ):
            told = self.run_in(str(DETSHIM), "completion", "--words", *words)
            self.assertEqual(told, f":command {begin}\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
