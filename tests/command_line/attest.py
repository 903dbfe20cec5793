#!/usr/bin/env python3
"""What `detshim attest` states: digests of what was compared, and PASSED only where runs were equal and that proves something.

Usage: attest.py DETSHIM LIBDETSHIM SOURCE
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DETSHIM, LIBRARY = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
SOURCE = pathlib.Path(sys.argv[3]).resolve()
sys.path.insert(0, str(SOURCE / "tests/schemas"))
import validate  # noqa: E402

SCHEMA = json.loads((SOURCE / "docs/schemas/attestation.schema.json").read_text())


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Attest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_detshim(self, *words):
        return subprocess.run(
            [DETSHIM, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "HF_TOKEN": "hf_sesame"},
        )

    def verify(self, script, *options):
        self.run_detshim(
            "verify",
            "--runs",
            "2",
            "--library",
            LIBRARY,
            *options,
            "--",
            "/bin/sh",
            "-c",
            script,
            "sh",
            "--password=sesame",
        )
        [document] = self.folder.glob("detshim-log/verify-*/verify.json")
        return document

    def attest(self, *words):
        result = self.run_detshim("attest", *words)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        statement = json.loads(result.stdout)
        self.assertEqual(list(validate.errors(statement, SCHEMA, SCHEMA)), [])
        self.assertNotIn("sesame", result.stdout)
        return statement

    def digests(self, statement):
        return {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}

    def test_states_the_digests_of_what_was_compared(self):
        document = self.verify(
            "echo loss; printf 12a4 >out; cp out stdout", "--output", "out", "--output", "stdout"
        )
        statement = self.attest()
        self.assertEqual(statement["predicate"]["result"], "PASSED")
        self.assertEqual(
            self.digests(statement),
            {"stdout": sha256(b"loss\n"), "out": sha256(b"12a4"), "./stdout": sha256(b"12a4")},
        )
        self.assertEqual(
            statement["predicate"]["passedTests"],
            ["exit status", "stdout", "stderr", "output out", "output stdout"],
        )
        configuration = {one["name"]: one for one in statement["predicate"]["configuration"]}
        digests = {name: one["digest"]["sha256"] for name, one in configuration.items()}
        environment = document.parent / "environment.json"
        self.assertEqual(
            digests,
            {
                file.name: sha256(file.read_bytes())
                for file in (document, environment, pathlib.Path(LIBRARY))
            },
        )
        self.assertEqual(configuration["verify.json"]["annotations"]["equal_runs"], 2)
        notes = subprocess.run(
            ["readelf", "-n", LIBRARY], capture_output=True, text=True, check=True
        ).stdout
        self.assertIn(
            "Build ID: " + configuration["libdetshim.so"]["annotations"]["build_id"], notes
        )

    def test_secrets_of_the_command_are_in_no_file(self):
        written = ["--junit", "junit.xml", "--sarif", "verify.sarif", "--markdown", "verify.md"]
        result = self.run_detshim(
            "verify",
            "--runs",
            "2",
            "--library",
            LIBRARY,
            *written,
            "--",
            "/bin/sh",
            "-c",
            "date +%N; date +%N",
            "sh",
            "--password=sesame",
            "-u",
            "me:sesame",
            "https://me:sesame@example.org/",
        )
        self.assertIn("--password=<hidden>", result.stdout)
        self.run_detshim("attest", "-o", "statement.json")
        self.run_detshim("report", "-o", "page.html")
        files = [file for file in self.folder.rglob("*") if file.is_file()]
        self.assertLess(
            {*written[1::2], "statement.json", "page.html", "verify.json"},
            {file.name for file in files},
        )
        for text in [
            result.stdout,
            result.stderr,
            *(file.read_text(errors="replace") for file in files),
        ]:
            self.assertNotIn("sesame", text)

    def test_a_byte_that_is_other_changes_the_digest(self):
        self.verify("echo loss; printf 12b4 >out", "--output", "out")
        self.assertEqual(self.digests(self.attest())["out"], sha256(b"12b4"))

    def test_what_changes_behind_a_verification_is_not_attested(self):
        document = self.verify("printf 12a4 >out", "--output", "out")
        (document.parent / "run-1/outputs/here/out").write_text("12b4")
        self.assertEqual(self.digests(self.attest())["out"], sha256(b"12a4"))

    def test_says_where_a_digest_is_not_of_all_runs(self):
        for script, count in (
            ("echo same", 0),
            ("echo took $$ ms; echo same", 1),
            ("printf '%s\\rloss 1\\n' $(date +%N)", 1),
        ):
            shutil.rmtree(self.folder / "detshim-log", ignore_errors=True)
            self.verify(script)
            statement = self.attest()
            how = next(
                one["annotations"]
                for one in statement["predicate"]["configuration"]
                if one["name"] == "verify.json"
            )
            self.assertEqual(
                (statement["predicate"]["result"], how["other_bytes"]), ("PASSED", count), script
            )

    def test_runs_that_differ_fail(self):
        self.verify("date +%N >out; date +%N; echo same >&2", "--output", "out")
        predicate = self.attest()["predicate"]
        self.assertEqual(predicate["result"], "FAILED")
        self.assertEqual(predicate["failedTests"], ["stdout", "output out"])

    def test_runs_that_prove_nothing_warn(self):
        self.verify("exit 3")
        predicate = self.attest()["predicate"]
        self.assertEqual(predicate["result"], "WARNED")
        self.assertIn("failed", predicate["warnedTests"])

    def test_a_document_that_contradicts_itself_does_not_pass(self):
        document = self.verify("date +%N")
        whole = json.loads(document.read_text())
        self.assertTrue(whole["differences"])
        for change in (
            {"verdict": "equal"},
            {"verdict": "equal", "compared": whole["compared"]},
            {"verdict": "equal", "differences": []},
            {"verdict": "good"},
        ):
            document.write_text(json.dumps(whole | change))
            self.assertEqual(self.attest()["predicate"]["result"], "FAILED", change)
        good = whole | {
            "verdict": "equal",
            "differences": [],
            "equal_runs": 2,
            "problems": [],
            "compared": [one | {"equal": True} for one in whole["compared"]],
        }
        for change, result in (
            ({}, "PASSED"),
            ({"problems": [{"kind": "log", "text": ""}]}, "WARNED"),
            ({"runs": []}, "WARNED"),
            ({"equal_runs": 1000}, "WARNED"),
            ({"equal_runs": 1}, "WARNED"),
            ({"verdict": "good"}, "WARNED"),
        ):
            document.write_text(json.dumps(good | change))
            self.assertEqual(self.attest()["predicate"]["result"], result, change)

    def test_speaks_of_the_last_one_also_without_a_log(self):
        command = ["--library", LIBRARY, "--", "/bin/sh", "-c", "od -An -N8 /dev/urandom"]
        self.run_detshim("verify", "--runs", "2", *command)
        self.assertEqual(self.attest()["predicate"]["result"], "PASSED")
        self.run_detshim("verify", "--runs", "2", "--mode", "off", *command)
        self.assertEqual(self.attest()["predicate"]["result"], "FAILED")

    def test_refuses_what_is_not_whole(self):
        document = self.verify("echo loss")
        text = document.read_text()
        whole = json.loads(text)
        cut = [
            text[:-20],
            "",
            "[]",
            "{}",
            *(
                json.dumps({name: value for name, value in whole.items() if name != gone})
                for gone in ("compared", "equal_runs", "seed", "library", "problems")
            ),
        ]
        no_digest = json.loads(text)
        for one in no_digest["compared"]:
            one["sha256"] = None
        for broken in [
            *cut,
            json.dumps(no_digest),
            json.dumps(whole | {"compared": []}),
            json.dumps(whole | {"equal_runs": "2"}),
        ]:
            document.write_text(broken)
            result = self.run_detshim("attest", "-o", "statement.json")
            self.assertEqual((result.returncode, result.stdout), (2, ""), broken[-60:])
            self.assertRegex(
                result.stderr.replace(str(self.folder), ""), r"\Adetshim: [^\n]{1,200}\n\Z"
            )
            self.assertFalse((self.folder / "statement.json").exists())

    def test_takes_the_last_and_writes_where_asked(self):
        first = self.verify("echo one")
        os.rename(first.parent, self.folder / "elsewhere")
        last = self.verify("echo two")
        self.assertEqual(self.digests(self.attest())["stdout"], sha256(b"two\n"))
        self.assertEqual(self.attest(str(last.parent)), self.attest())
        self.assertEqual(self.attest(str(last)), self.attest())
        self.assertEqual(self.digests(self.attest("elsewhere"))["stdout"], sha256(b"one\n"))
        self.assertEqual(self.run_detshim("attest", "-o", "statement.json").stdout, "")
        self.assertEqual(json.loads((self.folder / "statement.json").read_text()), self.attest())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
