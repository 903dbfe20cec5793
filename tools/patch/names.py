"""What the names of calls say to `patch`.

A function is known by how its module calls it where imports tell that, else by the last part of its
name: `now` reads a clock, and what has "seed" in its name takes one, unless it says when. A name
that says none of it is not found.
"""

import re

from known_names import NAMES

MAKERS = NAMES["makers"]
READERS = {*NAMES["readers"], *NAMES["blobs"]}
NUMBERS_AND_TEXTS = {*NAMES["numbers"], *NAMES["texts"]}
DRAWS_BY_ITSELF = {*NAMES["others"], *MAKERS}
WORD = r"[^\W_]\w*"


def last_part(name):
    """ "seed" of "numpy.random.seed"."""
    return name.split(".")[-1]


def takes_seed(name):
    """True for a name that says that it takes, or is, a seed; false for one that says when."""
    last = last_part(name)
    if last in NAMES["seeded"]:
        return True
    is_called_so = re.search("seed|random_state", last, re.I)
    says_when = re.search("time|start|stamp|seeded|seeding", last, re.I)
    return bool(is_called_so and not says_when)


def takes_seed_by_any(text):
    """True if one of the words in a text is such a name."""
    return any(map(takes_seed, text.split()))
