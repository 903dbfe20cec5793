"""The package `detshim`: what it gives programs that are started, and what it says of its own process."""

import ast
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipapp

import detshim
import made_wheel

DRAW = "import os, random; print(random.random(), os.urandom(8).hex())"


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_python(self, code, *words, env=None, before=()):
        """stdout of a program that ends well."""
        done = subprocess.run(
            [*before, sys.executable, "-c", code, *words],
            env=env,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_importing_it_does_nothing(self):
        out = self.run_python(
            "import os; before = dict(os.environ); import detshim, sys;"
            "print(before == dict(os.environ), 'pytest' in sys.modules, os.listdir('.'))"
        )
        self.assertEqual(out, "True False []\n")

    def test_is_the_command_too(self):
        def command(*words):
            return subprocess.run(
                [sys.executable, "-m", "detshim", *words],
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                universal_newlines=True,
            )

        self.assertEqual(command("--lib").stdout, detshim.library() + "\n")
        self.assertTrue(os.path.isfile(detshim.library()))
        self.assertEqual(command("no-such-verb").returncode, 2)
        draws = [
            command("run", "--seed", "42", "--", sys.executable, "-c", DRAW).stdout
            for _ in range(2)
        ]
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], self.run_python(DRAW))

    def test_says_what_is_missing(self):
        shutil.copytree(
            pathlib.Path(detshim.__file__).parent,
            self.folder / "detshim",
            ignore=shutil.ignore_patterns("native"),
        )
        done = subprocess.run(
            [sys.executable, "-m", "detshim", "--lib"],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            env=dict(os.environ, PYTHONPATH=str(self.folder)),
            universal_newlines=True,
        )
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stderr.splitlines(),
            [
                "detshim: cannot run '{}': No such file or directory".format(
                    self.folder.resolve() / "detshim/native/detshim"
                )
            ],
        )

    def test_a_child_gets_what_the_command_gives(self):
        first, again, other = (
            self.run_python(DRAW, env=detshim.env(seed=seed)) for seed in (42, 42, 43)
        )
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(
            first, self.run_python(DRAW, before=(detshim.command(), "run", "--seed", "42", "--"))
        )

    def test_the_environment_is_the_commands(self):
        given = detshim.env(seed=42, log=self.folder / "log", disable="cudnn", mode="strict")
        show = "import os, sys; sys.stdout.write('\\0'.join(map('='.join, os.environ.items())))"
        there = self.run_python(
            show,
            before=(
                detshim.command(),
                "run",
                "--seed=42",
                "--mode=strict",
                "--disable=cudnn",
                "--log={}".format(self.folder / "log"),
                "--",
            ),
        )
        there = dict(entry.split("=", 1) for entry in there.split("\0"))

        def value(name):  # the command packs what is made of its options
            entry = "{}={}".format(name, given[name])
            packed = "{:x}:{}".format(len(entry), entry)
            return given[name] if packed in there["_DETSHIM_OPTIONS"] else there.get(name)

        self.assertEqual(given, {name: value(name) for name in given})
        for name in ("LD_PRELOAD", "DETSHIM_SEED", "OMP_NUM_THREADS", "OMP_DYNAMIC"):
            self.assertIn(name, given)
        self.assertNotIn("OMP_NUM_THREADS", detshim.env(seed=42, program=["torchrun"], base={}))

    def test_other_preloads_stay_behind_it(self):
        given = detshim.env(
            seed=1, base={"LD_PRELOAD": "libm.so.6:/old/libdetshim.so", "A": "b=c\nd"}
        )
        self.assertEqual(given["LD_PRELOAD"], detshim.library() + ":libm.so.6")
        self.assertEqual(given["A"], "b=c\nd")

    def test_what_is_not_accepted_is_one_line(self):
        for words in ({"seed": -1}, {"mode": "no"}):
            with self.assertRaises(ValueError) as raised:
                detshim.env(**words)
            self.assertRegex(
                str(raised.exception), r"\Adetshim: --(seed|mode) .* is not accepted: .*\Z"
            )

    def test_empty_texts_are_refused(self):
        for name in ("seed", "mode", "log", "disable"):
            with self.assertRaises(ValueError) as raised:
                detshim.env(**{"seed": 1, name: ""})
            self.assertEqual(
                str(raised.exception),
                "detshim.env: {}='' is not accepted: a text that is not empty, or None".format(
                    name
                ),
            )
        self.assertEqual(detshim.env(seed=1, base={"DETSHIM_MODE": ""})["DETSHIM_SEED"], "1")
        self.assertEqual(detshim.env(base={})["DETSHIM_SEED"], "42")  # as every verb
        self.assertNotIn("DETSHIM_SEED", detshim.env(base={}, mode="record"))

    def test_a_program_is_a_list_of_words(self):
        for program in ("torchrun", b"torchrun", pathlib.Path("torchrun")):
            with self.assertRaises(TypeError) as raised:
                detshim.env(seed=1, program=program)
            self.assertEqual(
                str(raised.exception),
                "detshim.env: program={0!r} is not accepted: it takes a list of words, "
                "as [{0!r}]".format(program),
            )

    SAY = "import detshim; print(detshim.active(), detshim.mode())"

    def test_tells_whether_it_is_there(self):
        self.assertEqual(self.run_python(self.SAY), "False None\n")
        self.assertEqual(self.run_python(self.SAY, env=detshim.env(seed=1)), "True enforce\n")
        self.assertEqual(
            self.run_python(self.SAY, env=detshim.env(seed=1, mode="observe")), "True observe\n"
        )
        self.assertEqual(
            self.run_python(self.SAY, env=detshim.env(seed=1, mode="off")), "False off\n"
        )

    def test_is_not_fooled(self):
        set_late = "import os; os.environ.update(LD_PRELOAD='{0}', DETSHIM_SEED='1', DETSHIM_RUN='x');".format(
            detshim.library()
        )
        self.assertEqual(self.run_python(set_late + self.SAY), "False None\n")
        # Opened when the program runs already, it sees nothing of what goes to libc.
        opened = "import ctypes\ntry: ctypes.CDLL('{}', mode=ctypes.RTLD_GLOBAL)\nexcept OSError: pass\n".format(
            detshim.library()
        )
        self.assertEqual(self.run_python(opened + self.SAY), "False None\n")

    def test_asking_is_no_part_of_the_run(self):
        code = (
            "import detshim, os, subprocess, sys; os.urandom(8); given = detshim.env(seed=7); print(given.get('DETSHIM_MODE'),"
            "given['DETSHIM_SEED']); subprocess.run([sys.executable, '-c', 'import detshim; print(detshim.mode())'],"
            "env=given)"
        )
        log = self.folder / "log"
        out = self.run_python(code, env=dict(detshim.env(seed=42, log=log), PYTHONUNBUFFERED="1"))
        self.assertEqual(out, "None 7\nenforce\n")
        said = subprocess.run(
            [detshim.command(), "log", str(log)], stdout=subprocess.PIPE, universal_newlines=True
        ).stdout
        self.assertIn("No problem was recorded", said)
        self.assertNotIn("partial", said)

    def test_knows_its_version(self):
        said = subprocess.run(
            [detshim.command(), "--version"], stdout=subprocess.PIPE, universal_newlines=True
        ).stdout
        self.assertEqual("detshim {}\n".format(detshim.__version__), said)

    def test_its_types_are_known(self):
        package = pathlib.Path(detshim.__file__).parent
        self.assertTrue((package / "py.typed").is_file())  # PEP 561: checkers read the annotations
        untyped, public = [], 0
        for file in package.glob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
            for scope in [tree, *classes]:
                for function in scope.body:
                    if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
                        of = function.args
                        named = [*of.args[scope is not tree :], *of.kwonlyargs, of.vararg, of.kwarg]
                        public += 1
                        if function.returns is None or any(
                            one and one.annotation is None for one in named
                        ):
                            untyped.append("{}: {}".format(file.name, function.name))
        self.assertEqual(untyped, [])
        self.assertGreater(public, 40)

    def test_pip_puts_it_into_a_folder(self):
        pythons = [
            sys.executable,
            *(str(pathlib.Path(folder) / "bin/python") for folder in FOLDERS_WITH_PIP),
        ]
        plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        for python in pythons:
            if (
                os.access(python, os.X_OK)
                and subprocess.run(
                    [python, "-m", "pip", "--version"],
                    env=plain,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                ).returncode
                == 0
            ):
                break
        else:
            self.skipTest("there is no pip")
        target = self.folder / "target"
        wheel = made_wheel.make_wheel(pathlib.Path(detshim.__file__).parent.parent, self.folder)
        subprocess.run(
            [
                python,
                "-m",
                "pip",
                "install",
                "-q",
                "--no-index",
                "--no-deps",
                "--no-compile",
                "--disable-pip-version-check",
                "--target",
                str(target),
                str(wheel),
            ],
            check=True,
            env=plain,
            cwd=self.folder,
        )
        there = dict(plain, PYTHONPATH=str(target))
        for start in ([python, "-m", "detshim"], [str(target / "bin/detshim")]):
            said = [
                subprocess.run(
                    [*start, *words],
                    env=there,
                    cwd=self.folder,
                    stdout=subprocess.PIPE,
                    check=True,
                    universal_newlines=True,
                ).stdout
                for words in (
                    ["--lib"],
                    *[["run", "--seed=7", "--", sys.executable, "-c", DRAW]] * 2,
                )
            ]
            self.assertEqual(
                said[0], "{}\n".format(target.resolve() / "detshim/native/libdetshim.so")
            )
            self.assertEqual(said[1], said[2])
        self.assertEqual(
            self.run_python("import detshim; print(detshim.__version__)", env=there),
            detshim.__version__ + "\n",
        )

    def test_nothing_is_preloaded_out_of_a_zip_file(self):
        program = self.folder / "program"
        shutil.copytree(
            pathlib.Path(detshim.__file__).parent,
            program / "detshim",
            ignore=shutil.ignore_patterns("native"),
        )
        # Read by nobody: that it is there must not help.
        (program / "detshim/native").mkdir()
        (program / "detshim/native/detshim").write_text("")
        line = (
            "detshim: nothing can be preloaded out of the zip file '{}': leave detshim out of it, and install it "
            "(pip install --target FOLDER, with FOLDER in PYTHONPATH)"
        )
        for name, main, ends in (
            ("command.pyz", "detshim.__main__:main", 1),
            ("given.pyz", "use:env", 0),
        ):
            (program / "use.py").write_text(
                "import detshim\n\n"
                "def env():\n"
                "    print(detshim.active(), detshim.__version__)\n"
                "    for function in (detshim.env, detshim.library, detshim.command):\n"
                "        try: function()\n"
                "        except RuntimeError as error: print(error)\n"
            )
            archive = self.folder / name
            zipapp.create_archive(program, archive, main=main)
            done = subprocess.run(
                [sys.executable, str(archive), "--version"],
                env=dict(os.environ, PYTHONPATH=""),
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                universal_newlines=True,
            )
            self.assertEqual(done.returncode, ends)
            said = line.format(archive)
            if ends:
                self.assertEqual((done.stdout, done.stderr), ("", said + "\n"))
            else:
                self.assertEqual(
                    done.stdout.splitlines(), ["False " + detshim.__version__, said, said, said]
                )


class Values(unittest.TestCase):
    """What repeatable_value() compares: equal digests have to be equal bits."""

    def test_what_differs_has_another_digest(self):
        from detshim import values

        different = [
            None,
            0,
            0.0,
            -0.0,
            False,
            True,
            1,
            1.0,
            1j,
            "",
            "0",
            b"",
            b"0",
            [],
            [[]],
            [0, 1],
            [[0], 1],
            ["ab", "c"],
            ["a", "bc"],
            {},
            {0: 1},
            {1: 0},
            set(),
            {0},
            {(0,)},
            float("nan"),
            0.1 + 0.2,
            0.3,
        ]
        digests = [values.digest_and_text(value)[0] for value in different]
        self.assertEqual(len(set(digests)), len(different))

    def test_what_is_equal_has_one(self):
        from detshim import values

        for one, other in (
            ((1, 2), [1, 2]),
            ({1: 2, 3: 4}, {3: 4, 1: 2}),
            ({"a", "b", "c"}, {"c", "b", "a"}),
            (b"x", bytearray(b"x")),
        ):
            self.assertEqual(values.digest_and_text(one)[0], values.digest_and_text(other)[0])

    def test_what_it_does_not_know_is_refused(self):
        from detshim import values

        for value in (object(), [object()], {1: lambda: 1}):
            self.assertRaisesRegex(
                TypeError, "repeatable_value takes numbers", values.digest_and_text, value
            )

    def test_arrays_and_tensors(self):
        from detshim import values

        digest = lambda value: values.digest_and_text(value)[0]  # noqa: E731
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        ones = numpy.ones(10000, dtype="float32")
        nearly = ones.copy()
        nearly[5000] = numpy.nextafter(numpy.float32(1), numpy.float32(2))
        self.assertEqual(str(ones), str(nearly))  # what is printed does not show it
        self.assertNotEqual(digest(ones), digest(nearly))
        self.assertNotEqual(digest(ones), digest(ones.reshape(100, 100)))
        self.assertNotEqual(digest(numpy.zeros(1, "int32")), digest(numpy.zeros(1, "float32")))
        self.assertEqual(
            digest(numpy.arange(12).reshape(3, 4).T),
            digest(numpy.arange(12).reshape(3, 4).T.copy()),
        )
        self.assertRaises(TypeError, digest, numpy.array([object()]))
        try:
            import torch
        except ImportError:
            return
        tensor = torch.ones(8, dtype=torch.bfloat16, requires_grad=True)
        self.assertEqual(digest(tensor), digest(tensor.detach().clone()))
        self.assertNotEqual(digest(tensor), digest(torch.ones(8)))
        self.assertEqual(digest(torch.tensor(1.5)), digest(torch.tensor(1.5)))
        self.assertRaises(TypeError, digest, torch.ones(3).to_sparse())

    def numpy_and_digest(self):
        from detshim import values

        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        return numpy, lambda value: values.digest_and_text(value)[0]

    def test_masks_count_and_what_they_hide_does_not(self):
        numpy, digest = self.numpy_and_digest()
        masked = numpy.ma.array([1, 2, 3], mask=[0, 1, 0])
        self.assertNotEqual(digest(masked), digest(numpy.ma.array([1, 2, 3], mask=[0, 0, 1])))
        self.assertNotEqual(digest(masked), digest(numpy.ma.array([1, 2, 4], mask=[0, 1, 0])))
        self.assertNotEqual(digest(numpy.ma.array([1, 2, 3])), digest(numpy.array([1, 2, 3])))
        self.assertEqual(digest(masked), digest(numpy.ma.array([1, 9, 3], mask=[0, 1, 0])))
        fields = [("a", "i4"), ("b", "f8")]
        one, other = (
            numpy.ma.array([(1, 2.0)], mask=[mask], dtype=fields) for mask in ((0, 1), (1, 0))
        )
        self.assertNotEqual(digest(one), digest(other))

    def test_padding_does_not_count(self):
        numpy, digest = self.numpy_and_digest()

        def with_padding(byte, array):
            """A copy of the array, with this byte wherever it has no value."""
            storage = numpy.full(array.nbytes, byte, "u1")
            copy = storage.view(array.dtype).reshape(array.shape)
            for name in array.dtype.names or [Ellipsis]:
                copy[name] = array[name]
            if (
                array.dtype.kind in "fc" and numpy.finfo(array.dtype).nmant == 63
            ):  # x87: 10 bytes of 16
                storage.reshape(-1, 16)[:, 10:] = byte
            return copy

        struct = numpy.dtype(
            [("a", "i1"), ("b", "f8", (2,)), ("c", [("d", "i2"), ("e", "u1")])], align=True
        )
        for array in (
            numpy.array([1, 2, 3], "longdouble") / 3,
            numpy.array([1 + 2j], "clongdouble") / 3,
            numpy.array([(1, (2, 3), (4, 5))], struct),
        ):
            one, other = with_padding(0x11, array), with_padding(0x22, array)
            self.assertEqual(digest(one), digest(other))
            changed = one.copy()
            if array.dtype.names:
                changed["c"]["e"] += 1
            else:
                changed[0] = numpy.nextafter(changed[0].real, 9)
            self.assertNotEqual(digest(one), digest(changed))
        self.assertNotEqual(
            digest(numpy.zeros(1, [("a", "i4")])), digest(numpy.zeros(1, [("b", "i4")]))
        )

    def test_what_an_array_would_lose_is_refused(self):
        numpy, digest = self.numpy_and_digest()
        for lost in ("index", "columns", "coords", "names", "unit", "mask", "null_count"):

            class Labelled:
                def __array__(self, *_, **__):
                    return numpy.ones(1)

            setattr(Labelled, lost, property(lambda self: 1))
            self.assertRaisesRegex(
                TypeError, "give its parts.*Labelled has '{}'".format(lost), digest, Labelled()
            )
        try:
            import pandas
        except ImportError:
            return
        for value in (pandas.Series([1]), pandas.DataFrame({"a": [1]}), pandas.Index([1])):
            self.assertRaisesRegex(TypeError, "give its parts", digest, value)


if __name__ == "__main__":
    FOLDERS_WITH_PIP = sys.argv[1:]  # virtual environments
    unittest.main(argv=sys.argv[:1])
