"""A Python file that is to be changed: the edits that mend what a call of the log did in a line.

The log names a line; which call in it is meant, nobody knows. So each call of the line is looked at
by the rules of what the line did, and all that fit are tried. How many seeds an edit gave is divided
among the places of a line.
"""

import collections

from folder_order import sort_entries
from items import Edits
from missing_seeds import give_seed
from passed_seeds import replace_value
from python_code import PythonCode
from read_seeds import replace_reading
from sites import Cause, Refusal, Site

RULES = {
    Cause.FOLDER: (sort_entries,),
    Cause.READING: (replace_reading, give_seed),
    Cause.CLOCK: (replace_reading,),
    Cause.VALUE: (replace_value,),
}


class PythonFile(PythonCode):
    """`named`: of all files, how variables, options and fields are called whose seed is mended
    where it is made. `holders`: by variable, the places of those edits. `refused`: the calls that
    need an edit and get none, each with its reason."""

    named = set()

    def __init__(self, path, shown):
        super().__init__(path)
        self.shown = shown
        self.edits = Edits()
        self.refused = {}
        self.holders = collections.defaultdict(set)

    def mend(self, line, cause, called, logged):
        """True if an edit in that line mends it, or none is needed."""
        self.edits.begin_call()
        sites = [Site(self, call, cause, called, logged) for call in self.calls_at(line)]
        answers = [rule(site) for site in sites for rule in RULES[cause]]
        count = 1 if logged.is_import else logged.count
        others = self._refusals_at(line).count(Refusal.MISSING_SEED)
        self.edits.add_share(logged.function, logged.seeds, count, others)
        return any(answers)

    def _refusals_at(self, line):
        return [refusal for call, refusal in self.refused.items() if call.lineno == line]

    def changed(self, seeds):
        return self.edits.changed(self.text, seeds)

    def says_refused(self):
        """A line for each call that is refused, and lies in no edit."""
        for call, refusal in sorted(self.refused.items(), key=lambda item: item[0].lineno):
            if not self.edits.begin_in(*self.span(call)):
                yield call.lineno, refusal.value
