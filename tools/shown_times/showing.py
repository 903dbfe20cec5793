"""Which calls show what they are given, and into which lists times are put.

A call shows by the name of its function, or by a method's name where the object is a logger's, a
bar's or a writer's as far as the file tells: by what the object was made with, or since no module of
the user's could have made another one. A file that gives such a name a meaning of its own, or that
reads back what was shown, shows nothing by it.
"""

import ast
from itertools import filterfalse

from calls import (
    METHODS_OF_LOGGERS,
    METHODS_WITH_NAMES,
    NUMBER_MODULES,
    READING_BACK,
    SHOWING_FUNCTIONS,
    SHOWING_LIBRARIES,
    SHOWING_METHODS,
    SHOWN_WORDS,
    STANDARD,
    WRITERS,
)
from nodes import DEFINITIONS, is_read, text_of, values_of_words, words_of

PRINTING = {"print", "rich.print"}  # they take any number of things
LOGS = {"log", "log_dict"}


class Showing:
    """What a file shows times by, as far as it gives the names of methods no other meaning."""

    def __init__(self, names):
        self.names = names
        self.given = set()  # names that the file gives to functions and attributes itself
        self.is_read_back = False  # what was handed to a writer of metrics, or to a bar
        self.lists = {}  # by scope and name: whether `name = []` alone binds it
        self.writers = {}  # by scope and name: whether it alone holds what shows
        for node in names.scopes.of(*self.NOTES):
            self.NOTES[type(node)](self, node)

    def _note_definition(self, node):
        self.given.add(node.name)

    def _note_parameter(self, node):
        self.lists[self.names.scopes.scope_of_argument(node), node.arg] = False

    def _note_keyword(self, node):
        if not isinstance(node.value, ast.Constant):
            self.given.add(node.arg)
        if node.arg == "monitor" or (node.arg == "filename" and "{" in ast.dump(node.value)):
            self.given.update(LOGS)  # a metric that is logged is read back

    def _note_constant(self, node):
        """A method's name by its text, and what says that a metric is read back."""
        text = text_of(node) or ""
        self.given.update(SHOWING_METHODS & {text})
        if text == "monitor" or "metrics.csv" in text:
            self.given.update(LOGS)

    def _note_attribute(self, node):
        self.is_read_back |= node.attr in READING_BACK
        if not is_read(node):
            self.given.add(node.attr)

    def _note_name(self, node):
        self.is_read_back |= node.id in READING_BACK
        if is_read(node):
            return
        scopes = self.names.scopes
        if isinstance(scopes.scope_of(node), ast.ClassDef):
            self.given.add(node.id)
        key = scopes.key_of(node)
        self.lists[key] = self.lists.get(key, True) and scopes.is_given_new_list(node)
        self.writers[key] = self.writers.get(key, True) and self._is_given_writer(node)

    NOTES = {
        **dict.fromkeys(DEFINITIONS, _note_definition),
        ast.arg: _note_parameter,
        ast.keyword: _note_keyword,
        ast.Constant: _note_constant,
        ast.Attribute: _note_attribute,
        ast.Name: _note_name,
    }

    def _is_given_writer(self, node):
        """`writer = SummaryWriter(...)`, `with tqdm(...) as bar`."""
        around = self.names.scopes.parents[node]
        maker = getattr(around, "context_expr", getattr(around, "value", None))
        return isinstance(maker, ast.Call) and self.names.meaning(maker.func) in WRITERS

    def is_own_list(self, node):
        """A name of a list that no other name has."""
        if isinstance(node, ast.Attribute):
            return node.attr in self.names.attributes.lists
        return self._by_name(self.lists, node)

    def _by_name(self, facts, node):
        """What is noted of a name; False for what is none."""
        return isinstance(node, ast.Name) and facts.get(self.names.scopes.key_of(node), False)

    def shows(self, call):
        """Of a call whose value is thrown away."""
        return next(answer for fits, answer in self.ROWS if fits(self, call))

    def _is_function(self, call):
        return self.names.meaning(call.func) in SHOWING_FUNCTIONS

    def _prints_elsewhere(self, call):
        """`file=` may lead to a file that is a result."""
        files = values_of_words(call, "file", None)
        is_terminal = STANDARD.issuperset(map(self.names.meaning, files))
        return self._is_function(call) and not is_terminal

    def _prints_more(self, call):
        is_whole = self.names.meaning(call.func) in PRINTING or len(call.args) == 1
        return self._is_function(call) and not is_whole

    def _is_other(self, call):
        return getattr(call.func, "attr", "") not in SHOWING_METHODS

    def _leads_elsewhere(self, call):
        is_file = call.func.attr == "log_dict" and len(call.args) > 1  # MLflow's
        return is_file or not words_of(call).isdisjoint({"out", None})

    def _module(self, call):
        return self.names.meaning(call.func).split(".")[0]

    def _computes(self, call):
        return self._module(call) in NUMBER_MODULES

    def _is_read_back(self, call):
        return self.is_read_back and call.func.attr not in METHODS_OF_LOGGERS

    def _is_of_library(self, call):
        return self._module(call) in SHOWING_LIBRARIES

    def _is_given_by_file(self, call):
        return not self.given.isdisjoint({call.func.attr, "__getattr__"})

    def _is_nobody_elses(self, call):
        """No module of the user's has the object."""
        return self.names.is_alone

    def _is_of_writer(self, call):
        return self._by_name(self.writers, call.func.value)

    def _is_any(self, call):
        return True

    # The first one that fits says whether a call shows.
    ROWS = (
        (_prints_elsewhere, False),
        (_prints_more, False),
        (_is_function, True),
        (_is_other, False),
        (_leads_elsewhere, False),
        (_computes, False),
        (_is_read_back, False),
        (_is_of_library, True),
        (_is_given_by_file, False),
        (_is_nobody_elses, True),
        (_is_of_writer, True),
        (_is_any, False),
    )

    @staticmethod
    def names_of(call):
        """The arguments that name what is shown: a metric, which may be a folder's name too, or a
        logger's level."""
        if getattr(call.func, "attr", "") not in METHODS_WITH_NAMES:
            return []
        first = filterfalse(_is_dict, call.args[:1])  # wandb.log({})
        return [*first, *(word.value for word in call.keywords if word.arg not in SHOWN_WORDS)]


def _is_dict(node):
    return isinstance(node, ast.Dict)
