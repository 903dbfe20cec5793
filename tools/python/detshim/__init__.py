"""detshim makes unmodified programs repeatable, by a library that is preloaded into them.

Importing this package changes nothing. A process that runs already cannot be put under detshim; one that it starts can:

    subprocess.run(["python3", "train.py"], env=detshim.env(seed=42))
"""
import ctypes
import os
import pathlib
import subprocess
import sys

__all__ = ["active", "command", "env", "library", "mode"]

_NATIVE = pathlib.Path(__file__).resolve().parent / "native"
_LIBRARY_NAME = "libdetshim.so"


def command():
    """The path of the command `detshim`."""
    return str(_NATIVE / "detshim")


def library():
    """The path of libdetshim.so, for LD_PRELOAD."""
    return str(_NATIVE / _LIBRARY_NAME)


class _SymbolInfo(ctypes.Structure):  # Dl_info, dladdr(3)
    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def _base_of(process, function):
    """Where the object is loaded that has a function of ctypes."""
    process.dladdr.argtypes = [ctypes.c_void_p, ctypes.POINTER(_SymbolInfo)]
    info = _SymbolInfo()
    found = process.dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(info))
    return info.base if found else None


def mode():
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
    return asked().decode()


def active():
    """Whether this process runs under detshim, in another mode than off."""
    return mode() not in (None, "off")


def aside(environment):
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


def env(seed=None, *, mode=None, log=None, disable=None, base=None, program=(sys.executable,)):
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
            "detshim.env: program={0!r} is not accepted: it takes a list of words, as [{0!r}]".format(program)
        )
    base = os.environ if base is None else base
    asked_mode = (base.get("DETSHIM_MODE") or None) if mode is None else mode
    words = [command(), "run"]
    if asked_mode is None and active():
        words.append("--mode=enforce")  # in place of what aside() says
    for option, value in (("--seed", seed), ("--mode", asked_mode), ("--log", log), ("--disable", disable)):
        if value is None:
            continue
        text = os.fsdecode(value) if option == "--log" else str(value)
        if not text:  # the command would take the next word for the option's
            raise ValueError(
                "detshim.env: {}='' is not accepted: a text that is not empty, or None".format(option.lstrip("-"))
            )
        words.append("{}={}".format(option, text))
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
    entries = os.fsdecode(asked.stdout).split("\0")[:-1]
    result = dict(entry.split("=", 1) for entry in entries)
    if asked_mode is None:
        result.pop("DETSHIM_MODE", None)
    return result
