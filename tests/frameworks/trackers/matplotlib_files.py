"""Figures of matplotlib's; argv[1]: how many there are with this one."""

import glob
import os
import random
import sys

os.environ.update(MPLBACKEND="agg", MPLCONFIGDIR=os.path.abspath("config"))
import matplotlib.pyplot as plt  # noqa: E402

drawn = random.random()
plt.plot([0, 1], [0, drawn])
for ending in "pdf", "png", "svg":
    plt.savefig(f"figure-{sys.argv[1]}.{ending}")
assert len(glob.glob("figure-*")) == 3 * int(sys.argv[1])
assert len(glob.glob("config/fontlist-*.json")) == 1, os.listdir("config")
print("drawn:", drawn)
