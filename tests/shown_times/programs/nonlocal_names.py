"""A reading that another function's variable gets."""

import time


def outer():
    start = 0

    def inner():
        nonlocal start
        start = time.time()  # reason

    inner()
    return hash(start)


outer()
