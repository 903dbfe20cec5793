"""detshim makes unmodified programs repeatable, by a library that is preloaded into them.

Importing this package changes nothing. A process that runs already cannot be put under detshim; one that it starts can:

    subprocess.run(["python3", "train.py"], env=detshim.env(seed=42))
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from detshim._version import __version__

__all__ = ["__version__", "active", "command", "env", "library", "mode"]

_NATIVE = pathlib.Path(__file__).resolve().parent / "native"
_LIBRARY_NAME = "libdetshim.so"


def _native(name: str) -> str:
    """The path of a file that is to be preloaded or run."""
    archive = getattr(globals()["__loader__"], "archive", None)
    if archive is not None:  # zipimporter's
        raise RuntimeError(
            "detshim: nothing can be preloaded out of the zip file '{}': leave detshim out of it, and install it "
            "(pip install --target FOLDER, with FOLDER in PYTHONPATH)".format(archive)
        )
    return str(_NATIVE / name)


def command() -> str:
    """The path of the command `detshim`. This, library() and env() raise RuntimeError with one line in a zip file."""
    return _native("detshim")


def library() -> str:
    """The path of libdetshim.so, for LD_PRELOAD."""
    return _native(_LIBRARY_NAME)


class _SymbolInfo(ctypes.Structure):  # Dl_info, dladdr(3)
    _text, _pointer = ctypes.c_char_p, ctypes.c_void_p
    _fields_ = [("file", _text), ("base", _pointer), ("name", _text), ("address", _pointer)]


def _base_of(process: ctypes.CDLL, function: Any) -> int | None:
    """Where the object is loaded that has a function of ctypes."""
    process.dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(_SymbolInfo)]
    info = _SymbolInfo()
    is_known = process.dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(info))
    return info.base if is_known else None


def mode() -> str | None:
    """The mode that this process runs in under detshim: "enforce", "record", "observe", "strict" or "off".

    None where it does not run under it. The library itself is asked; what the environment says counts for nothing.
    """
    process = ctypes.CDLL(None)
    try:
        asked, hook = process.detshim_mode, process.getrandom
    except AttributeError:
        return None
    # Opened later, it would be there and see nothing: its hooks have to come before libc's functions.
    if _base_of(process, asked) is None or _base_of(process, asked) != _base_of(process, hook):
        return None
    asked.restype = ctypes.c_char_p
    return str(asked().decode())


def active() -> bool:
    """Whether this process runs under detshim, in another mode than off."""
    return mode() not in (None, "off")


def aside(environment: Mapping[str, str]) -> dict[str, str]:
    """A copy of an environment for what is no part of this process's run, such as the command.

    There the library is not in front; or, where this process has it, does nothing and hands no name on.
    """
    copy = dict(environment)
    if active():
        return dict(copy, DETSHIM_MODE="off")
    listed = copy.pop("LD_PRELOAD", "").replace(":", " ").split()
    others = [entry for entry in listed if os.path.basename(entry) != _LIBRARY_NAME]
    if others:
        copy["LD_PRELOAD"] = ":".join(others)
    return copy


def env(
    seed: int | str | None = None,
    *,
    mode: str | None = None,
    log: str | bytes | os.PathLike[str] | None = None,
    disable: str | None = None,
    base: Mapping[str, str] | None = None,
    program: Sequence[str | os.PathLike[str]] = (sys.executable,),
) -> dict[str, str]:
    """The environment for a program that is to run under detshim, for subprocess.

    seed: a number from 0 to 2^64-1, or its text; None: DETSHIM_SEED's, else 42, but in record.
    mode, log, disable: as DETSHIM_MODE, DETSHIM_LOG and DETSHIM_DISABLE take them; None: as they are.
    base: the environment that is extended; None: this process's.
    program: a list of what is started and its first arguments: launchers choose numbers of threads themselves.

    It is what `detshim run` gives a program, but for the fixed address-space layout, which is no variable. Raises
    ValueError with one line, mostly the command's own, for what is not accepted; TypeError for a program that is one
    text.
    """
    if isinstance(program, (str, bytes, os.PathLike)):
        raise TypeError(
            "detshim.env: program={0!r} is not accepted: it takes a list of words, as [{0!r}]".format(
                program
            )
        )
    base = os.environ if base is None else base
    asked_mode = (base.get("DETSHIM_MODE") or None) if mode is None else mode
    words: list[str | os.PathLike[str]] = [command(), "run"]
    if asked_mode is None and active():
        words.append("--mode=enforce")  # in place of what aside() says
    folder = None if log is None else os.fsdecode(log)
    for option, value in (
        ("--seed", seed),
        ("--mode", asked_mode),
        ("--log", folder),
        ("--disable", disable),
    ):
        if value == "":  # the command would take the next word for the option's
            raise ValueError(
                "detshim.env: {}='' is not accepted: a text that is not empty, or None".format(
                    option.lstrip("-")
                )
            )
        if value is not None:
            words.append("{}={}".format(option, value))
    words += ["--keep-aslr", "--print-environment", "--", *program]
    asked = subprocess.run(
        words,
        env=aside(base),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if asked.returncode != 0:
        raise ValueError(os.fsdecode(asked.stderr).strip())
    result = dict(entry.split("=", 1) for entry in os.fsdecode(asked.stdout).split("\0")[:-1])
    if asked_mode is None:
        result.pop("DETSHIM_MODE", None)
    return result
