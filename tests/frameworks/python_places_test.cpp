// Records of a Python process name the user's own line, for each line, whichever thread holds the
// interpreter's lock meanwhile.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// "random.py seed" of "/usr/lib/python3.11/random.py:163 seed"
std::string library_frame(const std::string& frame) {
  const std::string file = frame.substr(frame.rfind('/') + 1);
  return file.substr(0, file.find(':')) + file.substr(file.find(' '));
}

class PythonPlaces : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    const Result found = run({GetParam(), "-c", "import sys; print(sys.executable)"});
    if (found.status != 0)
      GTEST_SKIP() << "no " << GetParam();
    python_ = lines(found.out).front();
  }

  /// Runs the script as t.py; its records' places: "t.py:3 f" for the user's frame, with "
  /// random.py seed" for the frame that it called.
  Lines places(const std::string& script) {
    std::ofstream(scratch_.path() / "t.py") << script;
    const Result result =
        run({python_, "t.py"},
            under_shim(scratch_, {{"DETSHIM_SEED", "1"},
                                  {"PYTHONPATH", (scratch_.path() / "site-packages").string()}}),
            scratch_.path());
    EXPECT_EQ(result.status, 0) << result.err;
    Lines found;
    for (const ProcessLog& process : read_log(scratch_.log()))
      for (const auto& record : process.records) {
        if (record["t"] != "call" || !record.contains("py"))
          continue;
        calls_ += 1;
        if (!record.contains("user"))
          continue;
        const std::size_t user = record["user"];
        const std::string frame = record["py"][user];
        found.push_back(frame.substr(frame.rfind('/') + 1) +
                        (user == 0 ? "" : " " + library_frame(record["py"][user - 1])));
      }
    return found;
  }

  const TemporaryFolder scratch_;
  std::string python_; // the interpreter itself, not a script that chooses one
  std::size_t calls_ = 0;
};

TEST_P(PythonPlaces, EveryLineThatDrawsHasARecord) {
  EXPECT_EQ(places(contents(FRAMEWORKS_FOLDER "/python_lines_that_draw.py")),
            (Lines{"t.py:1 <module> random.py <module>", "t.py:4 f", "t.py:6 <module>",
                   "t.py:8 <module> random.py seed", "t.py:9 <module> uuid.py uuid4",
                   "t.py:10 g uuid.py uuid4"}));
}

// ctypes gives the lock up for each call; most of PyTorch does.
TEST_P(PythonPlaces, AreFoundWithoutTheInterpretersLock) {
  EXPECT_EQ(places(contents(FRAMEWORKS_FOLDER "/python_draws_without_the_lock.py")),
            (Lines{"t.py:3 draw", "t.py:6 numbers", "t.py:8 <lambda>", "t.py:9 <lambda>",
                   "t.py:10 <lambda>", "t.py:11 <lambda>"}));
}

TEST_P(PythonPlaces, OfAPackageThatDrawsAtImportIsTheUsersImport) {
  fs::create_directories(scratch_.path() / "site-packages/framework");
  std::ofstream(scratch_.path() / "site-packages/framework/__init__.py") << "from . import inner\n";
  std::ofstream(scratch_.path() / "site-packages/framework/inner.py")
      << "import os\nos.urandom(4)\n";
  EXPECT_EQ(places("import framework\n"), (Lines{"t.py:1 <module> __init__.py <module>"}));
}

TEST_P(PythonPlaces, OfAProgramThatIsNotCoveredIsTheLineThatLedToIt) {
  std::ofstream(scratch_.path() / "s.c") << "void _start(void) { *(volatile int*)0 = 0; }\n";
  ASSERT_EQ(run({"cc", "-static", "-nostdlib", "-o", "s", "s.c"}, {}, scratch_.path()).status, 0);
  EXPECT_EQ(places("import subprocess\n"
                   "def look(): subprocess.run('./s')\n"
                   "look()\n"),
            (Lines{"t.py:2 look subprocess.py run"}));
}

TEST_P(PythonPlaces, AreBounded) {
  EXPECT_LE(places("import os\n"
                   "for i in range(500):\n"
                   "    exec(compile('\\n' * i + 'os.urandom(1)', 'u.py', 'exec'))\n")
                .size(),
            201U);
  EXPECT_GT(calls_, 100U);
}

TEST_P(PythonPlaces, OfNumpysSeedsIsTheUsersLine) {
  if (run({python_, "-c", "import numpy"}).status != 0)
    GTEST_SKIP() << "no numpy";
  const Lines found =
      places("import numpy as np\nnp.random.default_rng()\nnp.random.SeedSequence()\n");
  for (const char* place :
       {"t.py:2 <module> random.py getrandbits", "t.py:3 <module> random.py getrandbits"})
    EXPECT_TRUE(std::ranges::count(found, place)) << place;
}

// What Python makes of a seed no hook sees: such a script draws other numbers in each run.
TEST_P(PythonPlaces, ThatReadAClockAreNamed) {
  const auto lines = [&](const std::string& script) {
    fs::remove_all(scratch_.log());
    places("import random, time, os\n" + script);
    const auto document = nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()}).out);
    std::string found;
    for (const auto& reason : document["reasons"])
      if (reason["kind"] == "clock")
        found = reason["text"];
    return found.substr(found.empty() ? 0
                                      : std::string("your code reads a clock or an id: ").size());
  };
  EXPECT_EQ(lines("random.seed(abs(time.time()))\n"), "t.py:2");
  EXPECT_EQ(lines("if True:\n  seed = os.getpid() # mine\nprint(seed)\n"), "t.py:3");
  EXPECT_EQ(lines("now = time.time_ns()\nprint(now)\nr = random.Random(now)\n"), "t.py:2");
  EXPECT_EQ(lines("from datetime import datetime\nrandom.seed(datetime.now().timestamp())\n"),
            "t.py:3");
  EXPECT_EQ(lines("from time import time_ns as Now\nrandom.seed(abs(Now()))\n"), "t.py:3");
  EXPECT_EQ(lines("start = time.time()\nprint(3)\nprint('seed(s)', time.time() - start)\n"), "");
  EXPECT_EQ(lines("start = time.time()\nwhile time.time() - start < 0: pass\n"), "t.py:2, t.py:3");
}

// docs/VERDICT.md: what a line prints of a clock is no result. tests/shown_times has the rules.
TEST_P(PythonPlaces, ThatOnlyShowTimesAreNoReason) {
  const auto judged = [&] {
    return nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()}).out);
  };
  const auto clocks = [](const nlohmann::json& document) {
    return std::ranges::count(document["reasons"], "clock", [](const auto& reason) {
      return reason["kind"].template get<std::string>();
    });
  };
  places("import datetime, random, time\n"
         "def train():\n"
         "  start = time.perf_counter()\n"
         "  return random.random(), time.perf_counter() - start\n"
         "loss, seconds = train()\n"
         "print(f'{datetime.datetime.now():%H:%M} loss {loss} in {seconds:.9f} s')\n");
  const nlohmann::json first = judged();
  EXPECT_EQ(first["shown_times"], (Lines{"t.py:3", "t.py:4", "t.py:6"}));
  EXPECT_EQ(clocks(first), 0);
  // Another file than the one that ran.
  fs::last_write_time(scratch_.path() / "t.py", fs::file_time_type::clock::now());
  EXPECT_EQ(judged()["shown_times"], Lines{});
  EXPECT_EQ(clocks(judged()), 1);
}

// A thread that waits for the interpreter's lock reads a clock for that, whatever line it is at.
TEST_P(PythonPlaces, OfThreadsThatWaitForTheLockReadNoClock) {
  if (run({python_, "-c", "import numpy"}).status != 0)
    GTEST_SKIP() << "no numpy";
  places("from concurrent.futures import ThreadPoolExecutor\nimport numpy\ndef draw(seed):\n"
         "  rng = numpy.random.default_rng(seed)\n"
         "  return sum(rng.random(200000).sum() for _ in range(20))\n"
         "with ThreadPoolExecutor(4) as pool: print(sum(pool.map(draw, range(16))))\n");
  for (const ProcessLog& process : read_log(scratch_.log()))
    for (const auto& record : process.records)
      EXPECT_NE(record["t"], "clock") << record;
}

// As in a script that reads no clock.
TEST_P(PythonPlaces, OfPackagesThatSeedAreNoReasonWhereAllClocksAreShown) {
  fs::create_directories(scratch_.path() / "site-packages");
  std::ofstream(scratch_.path() / "site-packages" / "model.py")
      << "import random\ndef fit(): random.seed(12345678901 * len('abc'))\n";
  const auto kinds = [&](const std::string& script) {
    fs::remove_all(scratch_.log());
    places("import model, random, time\nstart = time.time()\n" + script);
    const auto document = nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()}).out);
    Lines found;
    for (const auto& reason : document["reasons"])
      found.push_back(reason["kind"]);
    std::erase(found, "not_decoded");
    return found;
  };
  EXPECT_EQ(kinds("model.fit()\nprint(time.time() - start)\n"), Lines{});
  EXPECT_EQ(kinds("model.fit()\nassert start > 0\n"), (Lines{"clock", "unexplained_seed"}));
  EXPECT_EQ(kinds("random.seed(12345678901 * len('abc'))\nprint(time.time() - start)\n"),
            (Lines{"unexplained_seed"}));
}

// A clock that is handed over is called by code that knows nothing of it.
TEST_P(PythonPlaces, OfAClockThatIsHandedOverAreTheUsers) {
  fs::create_directories(scratch_.path() / "site-packages");
  std::ofstream(scratch_.path() / "site-packages" / "pack.py")
      << "import time\ndef call(f): return f()\ndef stamp(): return time.time()\n";
  const auto clocks = [&](const std::string& script) {
    fs::remove_all(scratch_.log());
    places("import pack, random, time\n" + script);
    const auto document = nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch_.log().string()}).out);
    std::string found;
    for (const auto& reason : document["reasons"])
      if (reason["kind"] == "clock")
        found = reason["text"];
    return found.substr(found.rfind(' ') + 1);
  };
  EXPECT_EQ(clocks("print(pack.call(time.time))\n"), "t.py:2");
  EXPECT_EQ(clocks("from dataclasses import dataclass, field\n@dataclass\nclass C:\n"
                   "  t: int = field(default_factory=time.time_ns)\nprint(C().t)\n"),
            "t.py:6");
  EXPECT_EQ(clocks("exec('print(time.time())')\n"), "t.py:2");
  EXPECT_EQ(clocks("print(pack.stamp())\n"), "") << "a package's own matter";
}

// The distribution's, and others that are there.
INSTANTIATE_TEST_SUITE_P(All, PythonPlaces,
                         testing::Values("/usr/bin/python3", "python3.9", "python3.10",
                                         "python3.12", "python3.13", "python3.14"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase_if(name, [](char letter) {
                             return std::isalnum(static_cast<unsigned char>(letter)) == 0;
                           });
                           return name;
                         });

} // namespace
