#!/usr/bin/env python3
"""Colour goes to a terminal, and where CLICOLOR_FORCE asks for it; NO_COLOR wins over both. Every verb that has colour follows.
What takes long says on a terminal, and there alone, what it does.

Usage: colours.py DETSHIM LIBDETSHIM SOURCE
"""

import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

DETSHIM, LIBRARY = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
PROGRAM = [
    "--library",
    LIBRARY,
    "--",
    "/usr/bin/python3",
    "-B",
    "-c",
    "import random; print(random.random())",
]
# Each has something that is bold or red.
VERBS = [
    ["log", "a", "--no-scan"],
    ["log", "diff", "a", "b"],
    ["env", "diff", "a", "b"],
    ["doctor", "--library", LIBRARY, "--", "no-such-program"],
    ["verify", "--runs", "2", *PROGRAM],
]


class Colours(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = scratch.name
        for name, seed in (("a", "1"), ("b", "2")):
            cls.call(["run", "--quiet", "--seed", seed, "--log", name, *PROGRAM], NAME=name)

    @classmethod
    def call(cls, words, output=subprocess.PIPE, errors=subprocess.PIPE, **variables):
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": cls.folder,
            "LANG": "C.UTF-8",
            "TERM": "xterm",
        } | variables
        return subprocess.run(
            [DETSHIM, *words],
            cwd=cls.folder,
            env=environment,
            stdout=output,
            stderr=errors,
            check=False,
        ).stdout

    def on_terminal(self, words, stream="output", **variables):
        terminal, ours = pty.openpty()
        try:
            self.call(words, **{stream: ours}, **variables)
            os.write(ours, b"end")  # of what may be nothing
            said = b""
            while not said.endswith(b"end"):  # a terminal hands on what it has so far
                said += os.read(terminal, 65536)
            return said.removesuffix(b"end")
        finally:
            os.close(ours)
            os.close(terminal)

    def test_every_verb_is_coloured_where_it_is_asked_for(self):
        for words in VERBS:
            with self.subTest(verb=words[:2]):
                self.assertIn(b"\x1b[", self.call(words, CLICOLOR_FORCE="1"))
                for variables in (
                    {},
                    {"CLICOLOR_FORCE": "0"},
                    {"CLICOLOR_FORCE": ""},
                    {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"},
                ):
                    plain = self.call(words, **variables)
                    self.assertTrue(plain)
                    self.assertNotIn(b"\x1b", plain, variables)

    def test_a_terminal_is_coloured_unless_it_says_no(self):
        words = ["doctor", "--library", LIBRARY, "--", "no-such-program"]
        self.assertIn(b"\x1b[", self.on_terminal(words))
        self.assertIn(b"\x1b[", self.on_terminal(words, NO_COLOR=""))
        self.assertIn(b"\x1b[", self.on_terminal(words, TERM="dumb", CLICOLOR_FORCE="1"))
        self.assertNotIn(b"\x1b", self.on_terminal(words, TERM="dumb"))
        self.assertNotIn(b"\x1b", self.on_terminal(words, NO_COLOR="1"))

    def test_long_work_says_what_it_does(self):
        for words, work in (
            (["log", "a", "--no-scan"], b"reading the log"),
            (["log", "diff", "a", "b"], b"reading the log in b"),
            (["verify", "--runs", "2", *PROGRAM], b"hashing 4 files"),
            (["verify", "--runs", "2", *PROGRAM], b"comparing what"),
        ):
            with self.subTest(verb=words[:2]):
                said = self.on_terminal(words, "errors")
                self.assertIn(b"\r\x1b[Kdetshim: " + work, said)
                self.assertTrue(said.endswith((b"\r\x1b[K", b"\n")), said)  # nothing of it stays
                self.assertNotIn(b"\x1b", self.on_terminal(words, "errors", TERM="dumb"))

    def test_json_has_none(self):
        self.assertNotIn(
            b"\x1b", self.call(["log", "a", "--json", "--no-scan"], CLICOLOR_FORCE="1")
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
