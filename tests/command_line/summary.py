#!/usr/bin/env python3
"""`detshim verify --markdown`: one table, whose cells hold nothing that Markdown or HTML would obey.

Usage: summary.py DETSHIM LIBDETSHIM SOURCE
"""

import html
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

DETSHIM, LIBRARY = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])


class Summary(unittest.TestCase):
    def summary(self, script, *options):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                [
                    DETSHIM,
                    "verify",
                    "--runs",
                    "2",
                    "--markdown",
                    "summary.md",
                    *options,
                    "--library",
                    LIBRARY,
                    "--",
                    "/bin/sh",
                    "-c",
                    script,
                    "sh",
                    "sesame",
                ],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                env={"PATH": "/usr/bin:/bin", "HOME": folder},
            )
            self.text = pathlib.Path(folder, "summary.md").read_text()
            self.assertNotIn("sesame", self.text)
            self.status = result.returncode
        return {
            html.unescape(key): html.unescape(value)
            for key, value in re.findall(r"^\| (.*) \| (.*) \|$", self.text, re.M)
        }

    def test_equal(self):
        rows = self.summary("echo loss; echo 12 >'a|b'", "--output", "a|b")
        self.assertEqual(self.status, 0)
        self.assertEqual(
            rows,
            {
                "exit status": "equal: status 0",
                "stdout": "equal: 1 line",
                "stderr": "equal: 0 lines",
                "output 'a|b'": "equal: 3 bytes",
            },
        )
        self.assertTrue(
            self.text.startswith(
                "### detshim verify: equal - 2 runs\n\nsh, seed 42, mode enforce\n"
            ),
            self.text,
        )
        self.assertIn("| compared | |\n|---|---|\n", self.text)
        self.assertIn("95 % confidence", self.text)

    def test_different(self):
        rows = self.summary("""echo "<b>|**$(date +%N)** [x](y) $(date +%N)" """)
        self.assertEqual(self.status, 1)
        self.assertIn("**different**: run 1 and run 2: line 1: '<b>|**", rows["stdout"])
        for line in self.text.splitlines():
            self.assertNotRegex(line, r"<b>|\[x\]|\*\*\d")

    def test_unverified(self):
        rows = self.summary("exit 3")
        self.assertEqual(self.status, 3)
        self.assertIn("**unverified**", rows)
        self.assertIn("| failed: ", self.text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
