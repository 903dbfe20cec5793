"""The jobs for CI in packaging/ci do what they say: the shell that they hold is run as the service's runner runs it, with
this build's detshim.

Usage: ci_test.py PACKAGING/CI COMMAND PACKAGE
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).parent.parent / "python"))
import made_wheel  # noqa: E402


def yaml_of(path):
    """A YAML file's content, by whatever can read one."""
    try:
        import yaml
    except ImportError:
        if shutil.which("ruby") is None:
            print("skipped: there is neither PyYAML nor ruby to read YAML")
            sys.exit(77)
        read = [
            "ruby",
            "-ryaml",
            "-rjson",
            "-e",
            "print JSON.dump(YAML.load_file(ARGV[0]))",
            str(path),
        ]
        return json.loads(subprocess.run(read, check=True, stdout=subprocess.PIPE).stdout)
    return yaml.safe_load(path.read_text(encoding="utf-8"))


class Job:
    """What a service's runner does with a job, which is given something by the names of GitHub's inputs."""

    def __init__(self, folder, temporary, path):
        self.folder, self.temporary = folder, temporary
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DETSHIM_", "VERIFY_"))
        }
        others = [
            one
            for one in self.environment["PATH"].split(":")
            if not os.path.exists(os.path.join(one, "detshim"))
        ]
        self.environment.update(PATH=":".join([str(path), *others]), TMPDIR=str(temporary))

    def shell(self, words, script, environment):
        file = self.temporary / "script of the step"
        file.write_text(script, encoding="utf-8")
        done = subprocess.run(
            [*words, str(file)],
            env=environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        return done


class GitHub(Job):
    """https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax"""

    def run(self, given):
        action = yaml_of(CI / "github/action.yml")
        unknown = set(given) - set(action["inputs"])
        assert not unknown, unknown
        for name, of in action["inputs"].items():
            assert "required" not in of or not of["required"] or name in given, name
        added = self.temporary / "added paths"
        added.touch()
        paths, said = "", ""
        for step in action["runs"]["steps"]:
            assert step["shell"] == "bash" and set(step) <= {"name", "shell", "env", "run"}, step
            assert "${{" not in step["run"], "an expression in a script is code"
            environment = dict(
                self.environment, GITHUB_PATH=str(added), RUNNER_TEMP=str(self.temporary)
            )
            environment["PATH"] = paths + environment["PATH"]
            for name, value in step.get("env", {}).items():
                of = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)[1]
                environment[name] = given.get(of, action["inputs"][of].get("default", ""))
            done = self.shell(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail"], step["run"], environment
            )
            said += done.stdout
            if done.returncode != 0:
                break
            paths = "".join(line + ":" for line in reversed(added.read_text().splitlines()))
        return done.returncode, said


class GitLab(Job):
    """https://docs.gitlab.com/ci/yaml"""

    def run(self, given):
        template = yaml_of(CI / "gitlab/detshim.yml")
        job = template[".detshim"]
        assert list(template) == [".detshim"] and "$[[" not in json.dumps(template)
        variables = dict(job["variables"])
        for name, value in given.items():
            name = "VERIFY_" + name.upper()
            assert name in variables, name
            variables[name] = value
        # Its runner makes one script of all lines, and a failing one ends it. An image need not have bash.
        script = "set -e\n" + "\n".join([*job.get("before_script", []), *job["script"]])
        done = self.shell(
            ["sh"], script, dict(self.environment, CI_PROJECT_DIR=str(self.folder), **variables)
        )
        for name in job["artifacts"]["paths"]:
            assert name in ("detshim-log/", "detshim-verify.xml", "detshim-verify.sarif"), name
        assert (
            job["artifacts"]["reports"]["junit"] == "detshim-verify.xml"
            and job["artifacts"]["when"] == "always"
        )
        return done.returncode, done.stdout


STABLE = """import random, sys
print("loss", random.random())
open("weights.txt", "w").write(str(random.random()))
open("words", "w").write(repr(sys.argv[1:]))
"""
FLAKY = "import time; print('loss', time.time_ns() // 1000 * 2654435761 % 2**32 / 2**32)\n"


class Jobs(unittest.TestCase):
    job = GitHub

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "a folder of the user's"
        self.folder.mkdir()
        self.temporary = (
            pathlib.Path(folder.name) / "temporary"
        )  # nothing is preloaded from a path with a space
        self.temporary.mkdir()
        (self.folder / "stable.py").write_text(STABLE)
        (self.folder / "flaky.py").write_text(FLAKY)

    def run_job(self, path=None, **given):
        return self.job(self.folder, self.temporary, COMMAND.parent if path is None else path).run(
            given
        )

    def reports(self):
        """Whether tests failed in the JUnit report, and whether the SARIF report has results."""
        suite = xml.etree.ElementTree.parse(self.folder / "detshim-verify.xml").getroot()
        sarif = json.loads((self.folder / "detshim-verify.sarif").read_text())
        return suite.find(".//failure") is not None, bool(sarif["runs"][0]["results"])

    def test_a_program_that_repeats_passes(self):
        status, said = self.run_job(
            program="{} stable.py".format(sys.executable),
            seed="7",
            output="weights.txt",
            metric=r"loss (\S+)",
        )
        self.assertEqual(status, 0, said)
        self.assertIn("seed 7", said)
        self.assertEqual(self.reports(), (False, False))

    def test_a_program_that_does_not_fails(self):
        status, said = self.run_job(program="{} flaky.py".format(sys.executable), runs="3")
        self.assertEqual(status, 1, said)
        self.assertEqual(self.reports(), (True, True))

    def test_what_it_is_given_stays_as_it_is(self):
        strange = """a  "b" $(touch evil) `touch evil`; touch evil # ' ${HOME} * \\"""
        metric = """loss "?'?(\\S+)(?:`touch evil`|; touch evil # ${HOME})?"""
        folder = self.folder / "weights of it's $(touch evil)"
        folder.mkdir()
        program = "cp stable.py 'a \"script\".py'\n{} 'a \"script\".py' '{}'\necho 1 >one; mv weights.txt \"{}/1\"".format(
            sys.executable, strange.replace("'", "'\\''"), folder.name.replace("$", "\\$")
        )
        status, said = self.run_job(
            program=program,
            metric=metric + "\n" + r"(\S+)$",
            output="{}/*\none\n".format(folder.name),
        )
        self.assertEqual(status, 0, said)
        self.assertEqual((self.folder / "words").read_text(), repr([strange]))
        self.assertIn("{}/1' (".format(folder.name), said)
        self.assertFalse((self.folder / "evil").exists())
        self.assertIn("metric '{}' (".format(metric), said)

    def test_the_first_command_that_fails_is_the_programs_end(self):
        status, said = self.run_job(program="false\n{} stable.py".format(sys.executable))
        self.assertFalse((self.folder / "words").exists(), said)

    def test_a_seed_that_is_none_is_one_line(self):
        status, said = self.run_job(program="true", seed="--version")
        self.assertEqual(status, 2, said)
        self.assertRegex(said, r"(?m)^detshim: --seed .* is not accepted: ")

    def test_without_detshim_it_says_what_to_give(self):
        status, said = self.run_job(path="/nowhere", program="true")
        self.assertEqual(status, 2, said)
        self.assertRegex(said.strip(), r"\Adetshim: it is not installed.*\Z")

    def test_it_is_installed_from_a_wheel(self):
        if (
            subprocess.run(
                [sys.executable, "-m", "pip", "--version"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ).returncode
            != 0
        ):
            self.skipTest("there is no pip")
        wheel = made_wheel.make_wheel(PACKAGE, self.folder)
        shown = self.temporary / "python"  # the python3 that has pip
        shown.mkdir()
        (shown / "python3").symlink_to(sys.executable)
        status, said = self.run_job(
            path=shown, package=wheel.name, program="python3 stable.py; command -v detshim >where"
        )
        self.assertEqual(status, 0, said)
        where = pathlib.Path((self.folder / "where").read_text().strip())
        self.assertIn("detshim/native", str(where))
        self.assertNotEqual(where, COMMAND)


class GitLabJobs(Jobs):
    job = GitLab


if __name__ == "__main__":
    CI, COMMAND, PACKAGE = (pathlib.Path(word) for word in sys.argv[1:])
    yaml_of(CI / "github/action.yml")
    unittest.main(argv=sys.argv[:1])
