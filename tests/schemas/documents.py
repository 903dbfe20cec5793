#!/usr/bin/env python3
"""Each JSON document of the command fits its schema, made of programs that are repeatable and of some that are not.

Usage: documents.py DETSHIM LIBDETSHIM SCHEMAS [--keep FOLDER]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import validate

PROGRAM = """
import os, random, time
random.seed(int(time.time()))
print("loss", random.random())
with open("out.txt", "w") as file: file.write(str(os.urandom(4)))
"""
RACE = """
import os, time
print("loss", os.getpid(), time.monotonic_ns())
print(os.urandom(4))
"""


CUBIN = pathlib.Path(__file__).resolve().parent.parent / "fuzz/corpus/gpu_code/f.cubin"


def commands(library):
    run = ["run", "--quiet", "--library", library, "--seed"]
    verify = ["verify", "--json", "--library", library]
    python = ["--", "/usr/bin/python3", "-B"]
    return [
        (None, [*run, "1", "--log", "a", *python, "program.py"]),
        (None, [*run, "1", "--log", "b", *python, "program.py"]),
        (None, [*run, "2", "--log", "c", *python, "race.py"]),
        ("log", ["log", "a", "--json"]),
        ("log", ["log", "c", "--json", "--all", "--no-scan"]),
        ("log-diff", ["log", "diff", "a", "b", "--json"]),
        ("log-diff", ["log", "diff", "a", "c", "--json"]),
        ("environment", ["env", "capture", "a", "-o", "environment.json"]),
        ("verify", [*verify, "--runs", "2", "--output", "out.txt", *python, "program.py"]),
        ("verify", [*verify, "--runs", "2", "--metric", "loss ([0-9.]+)", *python, "race.py"]),
        ("attestation", ["attest"]),
        ("price", ["price", "--json", "--library", library, *python, "program.py"]),
        ("scan", ["scan", "--json", "/usr/bin/env"]),
        ("kernels", ["scan", "--gpu", "--json", "--all", str(CUBIN)]),
    ]


def main():
    detshim, library, schemas = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:4])
    bad = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = (
            pathlib.Path(sys.argv[5]).resolve() if "--keep" in sys.argv else pathlib.Path(scratch)
        )
        (folder / "program.py").write_text(PROGRAM)
        (folder / "race.py").write_text(RACE)
        for i, (kind, command) in enumerate(commands(library)):
            result = subprocess.run(
                [detshim, *command],
                cwd=folder,
                capture_output=True,
                text=True,
                env={
                    "PATH": "/usr/bin:/bin",
                    "HOME": str(folder),
                    "LANG": "C.UTF-8",
                    "XDG_STATE_HOME": str(folder / "state"),
                },
            )
            if kind is None:
                continue
            where = " ".join(command[:3])
            written = folder / "environment.json"
            text = (
                written.read_text() if kind == "environment" and written.exists() else result.stdout
            )
            try:
                document = json.loads(text)
            except json.JSONDecodeError:
                bad.append(f"{where}: no document: {text[:200]}{result.stderr[:500]}")
                continue
            if "--keep" in sys.argv:
                (folder / f"{kind}-{i}.json").write_text(text)
                continue
            version = 2 if kind == "environment" else 1
            if kind != "attestation" and document.get("schema_version") != version:
                bad.append(f"{where}: schema_version is {document.get('schema_version')}")
            schema = json.loads(pathlib.Path(schemas, f"{kind}.schema.json").read_text())
            bad += [f"{where}: {line}" for line in validate.errors(document, schema, schema)]
    print("\n".join(bad[:20]), end="\n" if bad else "", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
