"""`detshim patch`: programs that differ from run to run by themselves, and repeat by themselves once its diff is applied."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

DETSHIM = sys.argv.pop(1)


def has(python, module):
    return subprocess.run([python, "-c", "import " + module], capture_output=True).returncode == 0


PYTHON = next(
    (python for python in (sys.executable, "/usr/bin/python3") if has(python, "numpy")),
    sys.executable,
)
HAS_NUMPY = has(PYTHON, "numpy")
TORCH_PYTHON = os.environ.get("DETSHIM_TEST_TORCH_PYTHON", PYTHON)
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("DETSHIM_", "LD_PRELOAD", "PYTHONHASHSEED"))
}

# name: the main file, or files by name. `folder` is a folder of files, made in another order for each run.
PLANTED = {
    "module": "import random\n\nprint([random.randrange(1000000) for _ in range(3)])\n",
    "clock": "import random, time\nrandom.seed(time.time())\nprint(random.random())\n",
    "clock_in_variable": "import random\nimport time\n\nstarted = time.time()\nrandom.seed(started)\nprint(random.random())\n",
    "seed_variable": "import random\nfrom time import time_ns\nSEED: int = time_ns() % 2**32\nrandom.seed(SEED)\nprint(SEED, random.random())\n",
    "function": """import os
import random

def set_seed(number, much=False):
    random.seed(number)

if __name__ == "__main__":
    set_seed(
        os.getpid(),
        much=True,
    )
    print(random.random())
""",
    "instances": """import random

class Model:
    def __init__(self):
        self.own = random.Random()

print([Model().own.random() for _ in range(3)])
""",
    "arguments": """import argparse, random, time
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int,
                    default=int(time.time() * 1e6))
arguments = parser.parse_args()
random.seed(arguments.seed)
print(arguments.seed, random.random())
""",
    "none_by_default": """import random
import numpy as np

class Trainer:
    def __init__(self, seed=None, options=None):
        self.one = np.random.default_rng(seed)
        self.other = random.Random((options or {}).get("seed", 7))

trainer = Trainer()
print(trainer.one.random(), trainer.other.random())
""",
    "by_name": "from random import shuffle, seed as begin\nimport time\nbegin(time.perf_counter_ns())\nx = list(range(20))\nshuffle(x)\nprint(x)\n",
    "kernel": "import os, random\nrandom.seed(int.from_bytes(os.urandom(8), 'big'))\nprint(random.random())\n",
    "with_rank": "import os, random\nrank = int(os.environ.get('RANK', '3'))\nrandom.seed(os.getpid() + rank)\nprint(random.random())\n",
    "numpy_module": "import numpy as np\nprint(np.random.rand(2), np.random.permutation(9))\n",
    "numpy_generators": """import os
import time
import numpy.random as nr
from numpy.random import default_rng
rng = default_rng(
)
other = nr.RandomState(os.getpid()); third = nr.default_rng([os.getpid(), time.time_ns()])
print(rng.random(), other.rand(), third.random())
""",
    "numpy_helper": {
        "main.py": "import numpy as np\nimport helper\nprint(helper.draw(np.zeros(2)))\n",
        "helper.py": "import numpy as np\nSTART = np.random.rand()\ndef draw(x):\n    return x + START + np.random.rand()\n",
    },
    "two_in_a_line": "import random\nimport numpy as np\nprint(random.random(), np.random.default_rng().random(), sum(np.random.default_rng(None).random(3)))\n",
    "listed": "import glob, os, random, sys\nfolder = sys.argv[1]\nprint(os.listdir(folder)[:2], [os.path.basename(x) for x in glob.glob(os.path.join(folder, '*.txt'))], random.random())\n",
    "walked": """import os, random, sys
from pathlib import Path
random.seed(1)
for entry in os.scandir(sys.argv[1]):
    print(entry.name)
for root, folders, files in os.walk(sys.argv[1]):
    print(files)
print(next(Path(sys.argv[1]).iterdir()).name)
""",
    "uuid": "import uuid\nprint(uuid.uuid4())\n",
    "set_order": "print(list({'red', 'green', 'blue', 'cyan', 'black', 'white'}))\n",
    "srand": """#include <cstdio>
#include <cstdlib>
#include <ctime>
static unsigned nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<unsigned>(now.tv_nsec);
}
int main() {
  srand(nanoseconds());
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  srand48(now.tv_nsec);
  printf("%d %f\\n", rand(), drand48());
}
""",
    "random_device": """#include <cstdio>
#include <random>
int main() {
  std::random_device rd; // of the "kernel"
  std::seed_seq seeds{rd(), rd(),
                      rd()};
  std::mt19937 gen(seeds);
  std::mt19937_64 other(rd());
  printf("%lu %lu\\n", static_cast<unsigned long>(gen()), static_cast<unsigned long>(other()));
}
""",
    "chrono": """#include <chrono>
#include <cstdio>
#include <random>
int main() {
  const auto seed = std::chrono::steady_clock::now().time_since_epoch().count();
  std::default_random_engine engine(static_cast<unsigned>(seed));
  printf("%lld %lu\\n", static_cast<long long>(seed), static_cast<unsigned long>(engine()));
}
""",
    "member": """#include <cstdio>
#include <random>
struct Model {
  std::mt19937 rng_;
  explicit Model(unsigned rank) : rng_(std::random_device{}() + rank) {}
};
int main() {
  Model model(3);
  printf("%lu\\n", static_cast<unsigned long>(model.rng_()));
}
""",
}
# What is said of those that no edit mends. C++ is named, and never edited.
WRITE_NUMBER = "write a fixed number, such as 42"
NOT_MENDED = {
    "uuid": ["draws from the kernel"],
    "set_order": ["PYTHONHASHSEED"],
    "srand": [
        "main.cpp:10: a seed that is another one in each run is passed here: pass a fixed number",
        "main.cpp:13: a seed that is another one in each run is passed here: pass a fixed number",
        "main.cpp:6: reads a clock or an id: where it becomes a seed, " + WRITE_NUMBER,
    ],
    "random_device": [
        f"main.cpp:{line}: draws from the kernel: where it becomes a seed, {WRITE_NUMBER}"
        for line in (5, 6, 8)
    ],
    "chrono": ["main.cpp:5: reads a clock or an id: where it becomes a seed, " + WRITE_NUMBER],
    "member": ["main.cpp:5: draws from the kernel: where it becomes a seed, " + WRITE_NUMBER],
}

TORCH = {
    "loader": """import random
import torch
from torch.utils.data import DataLoader

class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.rand(1) + random.random() + i

if __name__ == "__main__":
    model = torch.nn.Linear(1, 1)
    for batch in DataLoader(Numbers(), batch_size=4, shuffle=True, num_workers=2):
        print(model(batch))
""",
    "clock": "import time\nimport torch\ntorch.manual_seed(int(time.time() * 1000))\nprint(torch.rand(2))\n",
    "numpy": "import numpy as np\nnp.random.seed(None)\nprint(np.random.rand())\n",
    "seed": "import torch as t\nt.seed()\nprint(t.rand(2))\n",
    "training": """import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.randn(16, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
}


class Planted:
    """A program in a folder of its own, older than its runs."""

    def __init__(self, folder, files, python=PYTHON):
        self.folder = pathlib.Path(folder)
        if isinstance(files, (str, bytes)):
            files = {"main.cpp" if "#include" in str(files) else "main.py": files}
        for name, text in files.items():
            file = self.folder / name
            file.parent.mkdir(exist_ok=True, parents=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            os.utime(file, (time.time() - 60,) * 2)
        self.main = next(iter(files))
        self.build()
        self.command = ["./main"] if self.main.endswith(".cpp") else [python, self.main]
        self.listed = tempfile.mkdtemp(dir="/dev/shm") if "sys.argv" in str(files) else None
        self.runs = 0

    def build(self):
        if self.main.endswith(".cpp"):
            subprocess.run(
                ["g++", "-g", "-O1", "-std=c++17", self.main, "-o", "main"],
                cwd=self.folder,
                check=True,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.listed:
            shutil.rmtree(self.listed)

    def run(self, before=()):
        words = list(self.command)
        if self.listed:
            self.runs += 1
            for name in os.listdir(self.listed):
                os.remove(os.path.join(self.listed, name))
            for name in ["a.txt", "b.txt", "c.txt"][:: 1 if self.runs % 2 else -1]:
                pathlib.Path(self.listed, name).touch()
            words.append(self.listed)
        done = subprocess.run(
            [*before, *words], cwd=self.folder, env=ENVIRONMENT, capture_output=True
        )
        if done.returncode != 0:
            raise AssertionError(f"{words} ends in {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def repeats(self):
        return self.run() == self.run()

    def patch(self, *words):
        return subprocess.run(
            [DETSHIM, "patch", *words], cwd=self.folder, env=ENVIRONMENT, capture_output=True
        )

    def propose(self, *words):
        """Runs it under detshim, then asks for the diff."""
        self.run([DETSHIM, "run", "--quiet", "--"])
        return self.patch(*words)

    def apply(self, diff):
        for tool in (["git", "apply", "--check", "-"], ["patch", "-s", "-p1"]):
            done = subprocess.run(tool, cwd=self.folder, input=diff, capture_output=True)
            if done.returncode != 0 or done.stderr + done.stdout:
                raise AssertionError(
                    f"{tool[0]}: {done.stdout + done.stderr}\n{diff.decode(errors='replace')}"
                )
        self.build()


class Test(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def mended(self, files, python=PYTHON):
        """What comes of it: True, False, and what is said beside the diff."""
        with Planted(tempfile.mkdtemp(dir=self.folder), files, python) as program:
            self.assertFalse(program.repeats(), "it repeats by itself")
            proposed = program.propose()
            if proposed.returncode == 0:
                program.apply(proposed.stdout)
            return (
                proposed.returncode == 0 and program.repeats(),
                proposed.stderr.decode(),
                proposed.stdout.decode(),
            )

    def test_planted(self):
        mended = 0
        for name, files in PLANTED.items():
            if "numpy" in str(files) and not HAS_NUMPY:
                continue
            with self.subTest(name):
                is_mended, said, diff = self.mended(files)
                mended += is_mended
                self.assertEqual(is_mended, name not in NOT_MENDED, said + diff)
                for expected in NOT_MENDED.get(name, ()):
                    self.assertIn(expected, said)
                if "#include" in str(files):
                    self.assertEqual(diff, "")
        print(f"{mended} of {len(PLANTED)} mended")
        self.assertGreaterEqual(mended, 17 if HAS_NUMPY else 11)

    @unittest.skipUnless(has(TORCH_PYTHON, "torch"), "no torch")
    def test_torch(self):
        for name, files in TORCH.items():
            with self.subTest(name):
                is_mended, said, diff = self.mended(files, TORCH_PYTHON)
                self.assertTrue(is_mended, said + diff)
        _, said, diff = self.mended(
            "import torch\ng = torch.Generator(); g.seed(); print(torch.rand(1, generator=g)); s = torch.seed(); print(s % 2)\n",
            TORCH_PYTHON,
        )
        self.assertIn("main.py:2: without a seed it takes one from the kernel", said)
        self.assertNotIn(
            "manual_seed", diff.split("+torch.manual_seed(42)\n")[1]
        )  # that gives no number
        _, said, diff = self.mended(
            "from torch import rand, seed\nseed()\nprint(rand(2))\n", TORCH_PYTHON
        )
        self.assertIn("main.py:2: without a seed it takes one from the kernel", said)
        self.assertNotIn("+manual_seed", diff)  # no such name is there

    def diff_of(self, files, *words):
        with Planted(tempfile.mkdtemp(dir=self.folder), files) as program:
            done = program.propose(*words)
            if done.returncode == 0:
                program.apply(done.stdout)
                self.assertTrue(program.repeats(), done.stdout)
            return done.stdout, (program.folder / program.main).read_bytes(), done

    def test_keeps_bytes(self):
        script = b"# -*- coding: latin-1 -*-\r\nimport random\r\nif True:\r\n\tname = '\xe4\xf6\xfc'; print(name.encode(), random.Random().random())\t# \xdf"
        _, now, _ = self.diff_of(script)
        self.assertEqual(now, script.replace(b"Random()", b"Random(42)"))
        _, now, _ = self.diff_of(
            "import random; import os".encode()
            + b"\n\n'\xc3\xa4' and print(random.Random().random())"
        )
        self.assertEqual(
            now, b"import random; import os\n\n'\xc3\xa4' and print(random.Random(42).random())"
        )
        _, now, _ = self.diff_of(b"import random\r\n\r\nprint(random.random())\r\n", "--seed", "7")
        self.assertEqual(now, b"import random\r\nrandom.seed(7)\r\n\r\nprint(random.random())\r\n")

    def test_names(self):
        diff, _, _ = self.diff_of(
            {"my folder/the main.py": "import random\nprint(random.random())\n"}
        )
        self.assertIn(b"--- a/my folder/the main.py\t\n", diff)

    def test_smallest(self):
        """Nothing is seeded that nobody draws from, and nothing twice; what a name means is kept."""
        _, now, _ = self.diff_of(
            "import random\nrandom.seed(5)\nfrom uuid import uuid4\nprint(random.Random(uuid4().int).random())\n"
        )
        self.assertEqual(
            now,
            b"import random\nrandom.seed(5)\nfrom uuid import uuid4\nprint(random.Random(42).random())\n",
        )
        _, now, _ = self.diff_of(
            "'''What it does.'''\nfrom __future__ import annotations\nfrom random import random\nprint(random())\n"
        )
        self.assertEqual(
            now,
            b"'''What it does.'''\nfrom __future__ import annotations\nfrom random import random\n"
            b"import random as _random\n_random.seed(42)\nprint(random())\n",
        )
        _, now, _ = self.diff_of(
            "import random, time\nbegun = time.time()\nx, seed = 1, random.Random(str(time.time()) + str(begun * 0))\nprint(seed.random())\n"
        )
        self.assertIn(
            b"random.Random(str(42) + str(begun * 0))" if b"42" in now else b"str(time.time())", now
        )

    def test_others(self):
        """Kinds that the table was not made for: mended, or left whole and said."""
        for name, script, expected in (
            (
                "semicolon",
                "import random; print(random.random()); import os\n",
                "+import random as _random\n+_random.seed(42)\n",
            ),
            (
                "other name",
                "from numpy import random\nprint(random.rand())\n",
                "+import numpy as _numpy\n+_numpy.random.seed(42)\n",
            ),
            (
                "dictionary",
                "import os, random\nC = {'seed': int.from_bytes(os.urandom(4), 'big')}\nrandom.seed(C['seed'])\nprint(random.random())\n",
                "+C = {'seed': 42}\n",
            ),
            (
                "condition",
                "import random, time\nseed = 0 or int(time.time() * 1000)\nif seed:\n    random.seed(seed)\nprint(random.random(), seed)\n",
                "+seed = 0 or int(42 * 1000)\n",
            ),
            (
                "field",
                "import random\nfrom dataclasses import dataclass, field\n@dataclass\nclass P:\n    w: float = field(default_factory=random.random)\nprint(P())\n",
                "+random.seed(42)\n",
            ),
            (
                "text",
                "import hashlib, random, time\nseed = str(time.time_ns())\nrandom.seed(hashlib.md5(seed.encode()).digest())\nprint(random.random())\n",
                "+seed = str(42)\n",
            ),
            (
                "list",
                "import os, time\nfrom random import Random\nseeds = [os.getpid(), time.time_ns()]\nprint([Random(s).random() for s in seeds])\n",
                "+seeds = [42, 43]\n",
            ),
            (
                "f-string",
                "import os, random\nprint(random.Random(f'{os.getpid()}-{1}').random())\n",
                "+print(random.Random(42).random())\n",
            ),
        ):
            if "numpy" in script and not HAS_NUMPY:
                continue
            with self.subTest(name):
                is_mended, said, diff = self.mended(script)
                self.assertTrue(is_mended, said + diff)
                self.assertIn(expected, diff)
        for name, script, expected in (
            (
                "bytes",
                "import os\nfrom random import Random\nseed = os.urandom(8)\nprint(Random(seed).random(), len(seed))\n",
                "draws from the kernel",
            ),
            (
                "moment",
                "import datetime\nfrom random import Random\nseed = datetime.datetime.now()\nprint(Random(seed.microsecond).random())\n",
                "reads a clock",
            ),
            (
                "with",
                "import os, random\nrandom.seed(1)\nwith os.scandir('.') as it:\n    print(len(list(it)), random.Random().random())\n",
                "reads a folder",
            ),
            (
                "many",
                "from random import Random\nprint([Random().random() for _ in range(3)])\n",
                "takes 3 seeds",
            ),
        ):
            with self.subTest(name), Planted(
                tempfile.mkdtemp(dir=self.folder), {"main.py": script, "a.txt": "", "b.txt": ""}
            ) as program:
                done = program.propose()
                self.assertIn(expected, done.stderr.decode())
                self.assertNotIn(
                    b"scandir",
                    b"".join(line for line in done.stdout.splitlines() if line.startswith(b"+")),
                )

    def test_meaning(self):
        """A script does what it did, but for the seed; what the diff does not mend is named."""
        options = "import argparse, random, time\np = argparse.ArgumentParser()\np.add_argument('--seed', type=int, default=time.time_ns())\na = p.parse_args()\nrandom.seed(a.seed)\nprint(random.random())\n"
        for name, script, expected in (  # what it becomes
            (
                "byte-order mark",
                "\ufeffimport random\nprint(random.random())\n",
                "\ufeffimport random\nrandom.seed(42)\nprint(random.random())\n",
            ),
            ("option", options, options.replace("time.time_ns()", "42")),
            (
                "variable of the environment",
                "import os, random, time\nseed = int(os.getenv('NONE') or time.time_ns())\nrandom.seed(seed)\nprint(random.random())\n",
                "import os, random, time\nseed = int(os.getenv('NONE') or 42)\nrandom.seed(seed)\nprint(random.random())\n",
            ),
            (
                "function of the environment",
                "import os, random\ndef get_seed():\n    return int(os.environ.get('NONE', 0)) or int.from_bytes(os.urandom(4), 'big')\nrandom.seed(get_seed())\n",
                "import os, random\ndef get_seed():\n    return int(os.environ.get('NONE', 0)) or 42\nrandom.seed(get_seed())\n",
            ),
            (
                "field",
                "import random, time\nstate = {'seed': None}\nstate['seed'] = state['seed'] or time.time_ns()\nrandom.seed(state['seed'])\nprint(random.Random(state.get('seed')).random())\n",
                "import random, time\nstate = {'seed': None}\nstate['seed'] = state['seed'] or 42\nrandom.seed(state['seed'])\nprint(random.Random(state.get('seed')).random())\n",
            ),
            (
                "seeded again",
                "import random, time\nseed = time.time_ns()\nfor i in range(3):\n    random.seed(seed)\nprint(random.random())\n",
                "import random, time\nseed = 42\nfor i in range(3):\n    random.seed(seed)\nprint(random.random())\n",
            ),
            (
                "None by a condition",
                "import random, sys\nseed = int(sys.argv[1]) if len(sys.argv) > 2 else None\nrandom.seed(seed)\nprint(random.random())\n",
                "import random, sys\nseed = int(sys.argv[1]) if len(sys.argv) > 2 else None\nrandom.seed(42 if seed is None else seed)\nprint(random.random())\n",
            ),
            (
                "None among others",
                "import random\nrandom.seed(version=2, a=None)\nprint(random.random())\n",
                "import random\nrandom.seed(version=2, a=42)\nprint(random.random())\n",
            ),
            (
                "module as an argument",
                "import random\ndef f(random=random): return random.random()\nprint(f())\n",
                "import random\nrandom.seed(42)\ndef f(random=random): return random.random()\nprint(f())\n",
            ),
            (
                "import by a condition",
                "try:\n    import random\nexcept ImportError:\n    random = None\nif random:\n    print(random.random())\n",
                "import random as _random\n_random.seed(42)\ntry:\n    import random\nexcept ImportError:\n    random = None\nif random:\n    print(random.random())\n",
            ),
            (
                "first draw",
                "import random\ndef f(): return random.random()\nprint(f()); random.seed(None); print(random.random())\n",
                "import random\nrandom.seed(42)\ndef f(): return random.random()\nprint(f()); random.seed(43); print(random.random())\n",
            ),
            (
                "draw before a fixed seed",
                "import random\nprint(random.random())\nrandom.seed(5)\n",
                "import random\nrandom.seed(42)\nprint(random.random())\nrandom.seed(5)\n",
            ),
            (
                "draw before a helper's seed",
                {
                    "main.py": "import random\nimport helper\nprint(random.random())\nhelper.set_seed(5)\n",
                    "helper.py": "import random\ndef set_seed(n): random.seed(n)\n",
                },
                "import random\nrandom.seed(42)\nimport helper\nprint(random.random())\nhelper.set_seed(5)\n",
            ),
            (
                "same name",
                "import random\nfrom random import random\nprint(random())\n",
                "import random\nfrom random import random\nimport random as _random\n_random.seed(42)\nprint(random())\n",
            ),
            (
                "names of its own",
                "import random\nrandom, _random = random.random, 1\nprint(random())\n",
                "import random\nimport random as __random\n__random.seed(42)\nrandom, _random = random.random, 1\nprint(random())\n",
            ),
            (
                "two streams",
                "import random\nprint(random.random())\nr = random.Random()\n",
                "import random\nrandom.seed(42)\nprint(random.random())\nr = random.Random(43)\n",
            ),
        ):
            with self.subTest(name):
                _, now, done = self.diff_of(script)
                self.assertEqual(now.decode(), expected, done.stderr)
        shared = "import random, time\nclass C:\n    def __init__(self, n): self.n = n\n    def draw(self): random.seed(self.n); return random.random()\n"
        package = {
            "main.py": "import sys\nsys.path.insert(0, 'x/site-packages')\nimport foo\nprint(foo.f())\n"
        }
        for name, script, *expected in (  # what is left as it is
            (
                "attribute",
                shared + "print(C(time.time_ns()).draw(), C(3).draw())\n",
                "main.py:5: reads a clock",
                "main.py:4: what a clock says becomes a seed",
            ),
            (
                "parameter",
                "import random, time\ndef f(n): random.seed(n)\nf(3)\nt = time.time_ns()\nf(t)\n",
                "main.py:2: what a clock says becomes a seed",
            ),
            (
                "several",
                "import random, time\nseeds = [time.time_ns() for _ in range(3)]\nfor s in seeds: random.seed(s)\n",
                "main.py:2: reads a clock",
                "main.py:3: what a clock",
            ),
            (
                "loop",
                "import random, time\nfor _ in range(3):\n    seed = time.time_ns()\n    random.seed(seed)\n",
                "main.py:3: reads a clock",
                "main.py:4: takes 3 seeds",
            ),
            (
                "function",
                "import random, time\ndef f():\n    seed = time.time_ns()\n    return random.Random(seed)\nf(); f(); f()\n",
                "main.py:3: takes 3 seeds",
            ),
            (
                "other sources",
                "import random, time\nbegun = time.time_ns()\nif not begun: begun = 5\nrandom.seed(begun)\n",
                "main.py:4: what a clock says becomes a seed",
            ),
            (
                "other name",
                "import os, random, time\ndef f(): return int(os.getenv('NONE') or time.time_ns())\nrandom.seed(f())\n",
                "main.py:2: reads a clock",
                "main.py:3: what a clock",
            ),
            (
                "processes",
                "import multiprocessing, os, random, time\ndef begin(): random.seed(os.getpid() + time.time_ns())\nif __name__ == '__main__':\n"
                "    with multiprocessing.Pool(2, begin) as pool: pool.map(abs, range(2))\n",
                "main.py:2: takes 2 seeds",
            ),
            (
                "seed of the kernel's",
                "import random\nkey = random.SystemRandom().getrandbits(32)\nrandom.seed(key)\n",
                "main.py:2: draws from the kernel",
            ),
            (
                "closed",
                "import os, random\nit = os.scandir('.'); print(len([e.name for e in it])); it.close()\n",
                "main.py:2: reads a folder",
            ),
            (
                "closed later",
                "import glob, random\nit = glob.iglob('*.py')\nprint(next(it)); it.close()\n",
                "main.py:3: reads a folder",
            ),
            (
                "upwards",
                "import os, random\nfor one in os.walk('.', topdown=False): print(len(one))\n",
                "main.py:2: reads a folder",
            ),
            (
                "own sorted",
                "import os, random\nsorted = [1]\nprint(os.listdir('.')[:0])\n",
                "main.py:3: reads a folder",
            ),
            (
                "own random",
                "import random\nrandom = random.SystemRandom()\nprint(random.random())\n",
                "main.py:3: draws from the kernel",
            ),
            (
                "generator",
                "import random\nr = random.Random(1)\nr.seed()\n",
                "main.py:3: without a seed it takes one from the kernel",
            ),
            (
                "text",
                "import random\nf'{random.Random().random()}'\n",
                "main.py:2: without a seed it takes one from the kernel",
            ),
            (
                "address",
                "import random\nrandom.seed(id(object()))\n",
                "main.py:2: this seed is an address",
            ),
            (
                "C++ option",
                """#include <cstdio>
#include <cstdlib>
#include <ctime>
int main(int argc, char **argv) {
  unsigned seed = argc > 1 ? atoi(argv[1]) : time(nullptr);
  srand(seed);
  printf("%d\\n", rand());
}
""",
                "main.cpp:6: a seed that is another one in each run is passed here",
                "main.cpp:5: reads a clock",
            ),
            (
                "C++ text",
                """#include <chrono>
#include <cstdio>
#include <random>
#include <string>
int main() {
  const auto begin = std::chrono::steady_clock::now(); /* seed = time(0); */
  const std::string seed = std::to_string(std::chrono::system_clock::now().time_since_epoch().count()); // "time(0);"
  std::seed_seq words(seed.begin(), seed.end());
  const auto seeded_at = std::chrono::steady_clock::now();
  printf("%lu %d\\n", static_cast<unsigned long>(std::mt19937(words)()), seeded_at < begin);
}
""",
                "main.cpp:7: reads a clock or an id: where it becomes a seed, write a fixed number",
            ),
            (
                "C++ member",
                """#include <cstdlib>
#include <ctime>
struct Model { unsigned s; explicit Model(unsigned x) : s(x) {} int draw() { srand(s); return rand(); } };
int main() {
  Model model(time(nullptr));
  return model.draw() == Model(3).draw();
}
""",
                "main.cpp:3: a seed that is another one in each run is passed here",
                "main.cpp:5: reads a clock",
            ),
            (
                "C++ loop",
                """#include <ctime>
#include <random>
int main() {
  for (int i = 0; i < 3; ++i) {
    const auto seed = time(nullptr);
    if (std::mt19937(seed)() == 1) return 1;
  }
  for (int i = 0; i < 3; ++i)
    if (std::mt19937(time(nullptr))() == 1) return 1;
}
""",
                "main.cpp:5: reads a clock",
                "main.cpp:9: reads a clock",
            ),
            (
                "package",
                {
                    **package,
                    "x/site-packages/foo.py": "import random\ndef f(): return random.Random().random()\n",
                },
                "main.py:4: an installed package",
                "site-packages/foo.py:2",
            ),
        ):
            with self.subTest(name), Planted(tempfile.mkdtemp(dir=self.folder), script) as program:
                done = program.propose()
                self.assertEqual((done.returncode, done.stdout), (1, b""), done.stderr)
                for one in expected:
                    self.assertIn(one, done.stderr.decode())
        with Planted(
            tempfile.mkdtemp(dir=self.folder),
            "import os, random, sys\nprint(sorted(os.listdir(sys.argv[1]), key=len))\n",
        ) as program:
            self.assertIn(
                b"+print(sorted(sorted(os.listdir(sys.argv[1])), key=len))\n",
                program.propose().stdout,
            )
        with Planted(
            tempfile.mkdtemp(dir=self.folder),
            "import os, random, sys\nprint(os.listdir(sys.argv[1]).index('a.txt')); x = os.scandir(sys.argv[1]); x.close()\n",
        ) as program:
            done = program.propose()
            self.assertIn(
                b"+print(sorted(os.listdir(sys.argv[1])).index('a.txt')); x = os.scandir(sys.argv[1]); x.close()\n",
                done.stdout,
            )
            self.assertIn(b"main.py:2: reads a folder", done.stderr)
        _, _, done = self.diff_of(
            "import random\nclass R(random.Random): pass\nx = (R().random(), random.Random(x=None).random())\n"
        )
        self.assertIn(b"+x = (R().random(), random.Random(x=42).random())\n", done.stdout)
        self.assertIn(b"main.py:3: without a seed", done.stderr)

    def test_refusals(self):
        with Planted(
            self.folder, {"main.py": "import random\nprint(random.random())\n"}
        ) as program:
            done = program.patch()
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"no log in", done.stderr)
            self.assertEqual(program.propose("--seed", "4294967296").returncode, 2)
            os.utime(self.folder / "main.py")
            done = program.patch()
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertIn(b"has changed since that run", done.stderr)
        with Planted(self.folder, "import time\nprint(1 if time.time() else 0)\n") as program:
            done = program.propose()
            self.assertEqual((done.returncode, done.stdout), (1, b""), done.stderr)
        program.command = [PYTHON, "-c", "import random; print(random.random())"]
        done = program.propose()
        self.assertEqual((done.returncode, done.stdout), (1, b""), done.stderr)
        unread = "import random\ntry:\n    import other\nexcept SyntaxError:\n    print(random.random())\n"
        with Planted(self.folder, {"main.py": unread, "other.py": "return 1\n"}) as program:
            done = program.propose()
            self.assertIn(b"+random.seed(42)\n", done.stdout)
            self.assertNotIn(b"other.py", done.stderr)  # it has no edits

    def test_odd_log(self):
        """Frames that are none, and lines that no file has."""
        for name, text in (
            ("main.py", "import random\nprint(random.random())\n"),
            ("main.cpp", '#include <cstdio>\nint main() { puts(""); }\n'),
        ):
            with Planted(tempfile.mkdtemp(dir=self.folder), {name: text}) as program:
                program.command = [PYTHON, "-c", "import random; print(random.random())"]
                program.run([DETSHIM, "run", "--quiet", "--"])
                file = next((program.folder / "detshim-log/latest").glob("*.jsonl"))
                with open(file, "a", encoding="utf-8") as log:
                    for frames in (
                        ["?"],
                        ["x:y z", f"{program.folder}/{name}:99 main"],
                        [f"{program.folder}/{name}:0 f"],
                        [f"{program.folder}/{name}:1"],
                    ):
                        log.write(
                            json.dumps(
                                {
                                    "t": "call",
                                    "n": 2,
                                    "thread": "0",
                                    "lib": "libc",
                                    "fn": "getrandom",
                                    "do": "pin",
                                    "why": "own_stream",
                                    "at": "?",
                                    "py": frames,
                                    "user": 0,
                                }
                            )
                            + "\n"
                        )
                done = program.patch()
                self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_gpu(self):
        """Of a run that used a GPU: what a log of one has more."""
        with Planted(
            self.folder,
            {
                "main.py": "'What it does.'\nimport random\nimport torch\nprint(torch.rand(2), random.random())\n",
                "torch.py": "import random\nrand = random.sample\n",
            },
        ) as program:
            program.main = "main.py"
            program.command[1:] = ["-c", "import random; print(random.random())"]
            program.run([DETSHIM, "run", "--quiet", "--"])
            file = next((self.folder / "detshim-log/latest").glob("*.jsonl"))
            place = f"{self.folder}/main.py:4 <module>"
            with open(file, "a", encoding="utf-8") as log:
                for record in (
                    {
                        "t": "framework",
                        "name": "torch",
                        "file": "/x/libtorch_cpu.so",
                        "deterministic": True,
                        "by": "detshim",
                    },
                    {"t": "library", "lib": "cublas", "file": "/x/libcublas.so"},
                    {
                        "t": "call",
                        "n": 2,
                        "thread": "0",
                        "lib": "libc",
                        "fn": "getrandom",
                        "do": "pin",
                        "why": "own_stream",
                        "at": "?",
                        "py": [place],
                        "user": 0,
                    },
                ):
                    log.write(json.dumps(record) + "\n")
            done = program.patch()
            program.apply(done.stdout)
            self.assertEqual(
                (self.folder / "main.py").read_text(),
                """'What it does.'
import os
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import random
import torch
random.seed(42)
torch.manual_seed(42)
torch.use_deterministic_algorithms(True)
print(torch.rand(2), random.random())
""",
            )


if __name__ == "__main__":
    unittest.main()
