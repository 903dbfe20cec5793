"""The user's files, by their paths.

Whose a file is, the log says. One that has changed since the run is left, since the log's lines are
no longer its own, and so is one that no diff can name or that Python does not read.
"""

import os
import re

from python_file import PythonFile


class OtherFile:
    """In a language that is not read here: its places are named, and it stays as it is."""

    refused = {}

    def __init__(self, shown):
        self.shown = shown

    def mend(self, *_):
        return False


class Files:
    """`begun`: when the run began, in microseconds since 1970; 0 where that is not known.
    `problems`: gets a line for each file that cannot be edited."""

    def __init__(self, begun, problems):
        self.begun = begun
        self.problems = problems
        self.by_path = {}

    def of(self, frame):
        """The user's file of that frame, or None."""
        return self.get(frame.path) if frame.is_of_user else None

    def get(self, path):
        """The file of that path, which is the user's, or None."""
        if path not in self.by_path:
            self.by_path[path] = self._read(path)
        return self.by_path[path]

    def python(self, path):
        file = self.get(path)
        return file if isinstance(file, PythonFile) else None

    def all_python(self):
        return [file for file in self.by_path.values() if isinstance(file, PythonFile)]

    def _read(self, path):
        try:
            if not os.path.isfile(path):
                return None
            self._require_readable(path)
            shown = os.path.relpath(path)
            return PythonFile(path, shown) if path.endswith(".py") else OtherFile(shown)
        except (OSError, SyntaxError, ValueError, RecursionError, LookupError) as error:
            self.problems.append(f"{path} is left as it is: {error}")
            return None

    def _require_readable(self, path):
        if 0 < self.begun < os.stat(path).st_mtime_ns // 1000:
            raise ValueError("it has changed since that run: run it again")
        if re.search(r'^\.\.|["\\\x00-\x1f\x7f]', os.path.relpath(path)):
            raise ValueError("it is not below this folder, or no diff can name it")
