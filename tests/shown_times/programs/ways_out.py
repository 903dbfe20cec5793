"""Clocks that leave by ways that are easy to miss."""

import json
import logging
import random
import socket
import sys
import time

import click
import numpy as np
from config import timeout
from shared import timings

log = logging.getLogger(__name__)
options = {}

a = time.time()  # reason
timeout -= time.time() - a  # reason
socket.setdefaulttimeout(timeout)


def decayed(lr):
    b = time.time()  # reason
    lr *= 1 - (time.time() - b) / 60  # reason
    np.save("lr", lr)


decayed(**options)


def measured(steps):
    c = time.time()  # reason
    return time.time() - c  # reason


np.save("w", 3 * measured(*sys.argv))

losses = times = []
d = time.time()  # reason
times.append(time.time() - d)  # reason
np.save("losses", losses)


def collect(into):
    e = time.time()  # reason
    into.append(time.time() - e)  # reason


everything = []
collect(everything)
json.dump(everything, open("all.json", "w"))
f = time.time()  # reason
timings.append(time.time() - f)  # reason

g = time.time()  # reason
pick = lambda start=g: int(start) % 7  # noqa: E731
h = time.time()  # reason


def seeded(h=h):
    np.random.seed(int(h) % 7)


limit = time.monotonic()  # reason
worker = options["worker"]
worker.join(limit - time.monotonic())  # reason
i = time.time()  # reason
np.log(time.time() - i, out=options["w"])  # reason
j = time.time()  # reason
options["future"].exception(time.time() - j)  # reason
k = time.time()  # reason
click.echo(time.time() - k, options["file"])  # reason
m = time.time()  # shown
options["writer"].add_scalars("run " + time.strftime("%S"), {"x": time.time() - m})  # reason


def report(seconds):
    print(seconds)


if "--save" in sys.argv:

    def report(seconds):
        np.save("seconds", seconds)


n = time.time()  # reason
report(time.time() - n)  # reason

seed = int(time.time())  # reason


class Model:
    rng = random.Random(seed)
    seed = 3


o = time.time()  # reason
durations = [time.time() - o]  # reason
np.save("w", [durations * 2 for durations in durations])
p = time.time()  # reason
for _number, _x in enumerate(losses, int(p)):
    print(_number)
print(time.time() - time.perf_counter())  # reason
q = time.time()  # reason
print(divmod(int((time.time() - q) * 1e6), 7))  # reason
r = time.time()  # reason
print("#" * int(time.time() - r))  # reason
s = time.time()  # reason
print("%*d" % (int(time.time() - s), 3))  # reason
t, noise = time.time(), options["np"].datetime64("now")  # reason
print(time.time() - t, noise)  # shown
u = time.time()  # reason
print("rate", 1.0 + (time.time() - u))  # reason
v = time.time()  # reason
print(v - int(v))
w = time.time()  # reason
report(**{"seconds": time.time() - w}, **{"loss": 1})  # reason
x = time.time()  # reason
np.save(**{"arr": time.time() - x}, **{"file": "x.npy"})  # reason
