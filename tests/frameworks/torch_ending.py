"""What code of a package hears that ends the program where deterministic algorithms are on, and what other code hears.
Arguments: a folder for the package, and the path of the file in it."""
import importlib.util
import pathlib
import sys

file = pathlib.Path(sys.argv[1]) / sys.argv[2]
file.parent.mkdir(parents=True)
file.write_text("""
import torch


def _deterministic_algorithms_required():
    return torch.are_deterministic_algorithms_enabled()


def backward():
    if _deterministic_algorithms_required():
        raise RuntimeError("nondeterministic atomics")
    return "ran"
""")
import torch  # noqa: E402

specification = importlib.util.spec_from_file_location("ending", file)
ending = importlib.util.module_from_spec(specification)
specification.loader.exec_module(ending)


def attempt():
    try:
        return ending.backward()
    except RuntimeError as error:
        return f"ended: {error}"


print(torch.are_deterministic_algorithms_enabled(), attempt())
torch.use_deterministic_algorithms(True)
print(torch.are_deterministic_algorithms_enabled(), attempt())
