// Seeds that Python code takes from a clock, for `random` and NumPy: each is replaced, and what is
// fixed does not.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

namespace {

using Texts = std::vector<std::string>;

const std::string python = "/usr/bin/python3"; // which the distribution's NumPy belongs to
const std::string here = FRAMEWORKS_FOLDER "/";

/// A program with `SEED` where the seed stands, and what stands there.
struct Idiom {
  const char* program;
  const char* seed;
};

std::ostream& operator<<(std::ostream& out, const Idiom& idiom) {
  return out << idiom.program << " with " << idiom.seed;
}

std::string with_seed(std::string program, const std::string& seed) {
  const std::string name = "SEED";
  for (std::size_t at; (at = program.find(name)) != std::string::npos;)
    program.replace(at, name.size(), seed);
  return "import os, random, time\nfrom datetime import datetime, timezone\n" + program;
}

bool has_numpy() {
  static const bool has = run({python, "-c", "import numpy"}).status == 0;
  return has;
}

bool needs_numpy(const std::string& program) { return program.find("numpy") != std::string::npos; }

std::string printed(const std::string& program, const Environment& more) {
  const TemporaryFolder scratch;
  const Result result = run({python, "-c", program}, under_shim(scratch, more));
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

class PythonSeeds : public testing::TestWithParam<Idiom> {};

TEST_P(PythonSeeds, GiveWayAsTheFirstSeed) {
  const auto& [program, seed] = GetParam();
  if (needs_numpy(program) && !has_numpy())
    GTEST_SKIP() << "no NumPy";
  const std::string tested = with_seed(program, seed);
  const std::string first = run({python, "-c", tested}).out;
  EXPECT_NE(run({python, "-c", tested}).out, first);
  const std::string fixed = run({python, "-c", with_seed(program, "42")}).out;
  ASSERT_FALSE(fixed.empty());
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(printed(tested, {{"DETSHIM_SEED", "42"}}), fixed);
  EXPECT_EQ(printed(tested, {{"DETSHIM_SEED", "43"}}),
            run({python, "-c", with_seed(program, "43")}).out);
  EXPECT_NE(printed(tested, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "python"}}), fixed);
}

// Clocks that differ in two runs that follow at once.
INSTANTIATE_TEST_SUITE_P(
    All, PythonSeeds,
    testing::Values(
        Idiom{"random.seed(SEED); print(random.random())", "time.time()"},
        Idiom{"random.seed(SEED); print(random.random())", "time.time_ns()"},
        Idiom{"random.seed(SEED); print(random.random())", "time.time() * 1000"},
        Idiom{"random.seed(SEED); print(random.random())", "int(time.time() * 1e6)"},
        Idiom{"random.seed(SEED); print(random.random())", "int(time.time() * 1e9)"},
        Idiom{"random.seed(SEED); print(random.random())", "time.time_ns() // 1000"},
        Idiom{"random.seed(SEED); print(random.random())", "time.perf_counter()"},
        Idiom{"random.seed(SEED); print(random.random())", "time.perf_counter_ns()"},
        Idiom{"random.seed(SEED); print(random.random())", "datetime.now().timestamp()"},
        Idiom{"random.seed(SEED); print(random.random())", "int(datetime.now().timestamp() * 1e6)"},
        Idiom{"random.seed(SEED); print(random.random())",
              "datetime.now(timezone.utc).timestamp()"},
        Idiom{"print(random.Random(SEED).random())", "time.time_ns()"},
        Idiom{"class Own(random.Random): pass\nprint(Own(SEED).random())", "time.time()"},
        Idiom{"def set_seed(s):\n  random.seed(s)\nstart = time.time()\ns = "
              "SEED\ntime.time()\nset_seed(s)\n"
              "print(random.random())",
              "time.time_ns()"},
        Idiom{"for i in range(3000): time.time()\nrandom.seed(SEED); print(random.random())",
              "time.time()"},
        Idiom{"import numpy\nnumpy.random.seed(SEED % 2**32); print(numpy.random.rand())",
              "time.time_ns() // 1000000"},
        // What is left of a clock may be a small number, which stays.
        Idiom{"import numpy\ns = SEED\nwhile s not in (42, 43) and s < 1 << 24: s = "
              "SEED\nnumpy.random.seed(s)\n"
              "print(numpy.random.rand())",
              "int(time.time() * 1e6) % 2**32"},
        Idiom{"s = SEED\nimport numpy\nnumpy.random.seed(s % 2**32); print(numpy.random.rand())",
              "time.time_ns() // 1000000"},
        Idiom{"import numpy\nprint(numpy.random.RandomState(seed=SEED % 2**32).rand())",
              "time.time_ns() // 1000000"},
        Idiom{"import numpy\nprint(numpy.random.default_rng(SEED).random())", "time.time_ns()"},
        Idiom{"s = SEED\nimport numpy\nprint(numpy.random.default_rng(seed=s).random())",
              "time.time_ns()"},
        Idiom{"from numpy.random import *\nprint(Generator(PCG64(SEED)).random())",
              "time.time_ns()"},
        Idiom{"from numpy.random import *\nprint(Generator(MT19937(SEED)).random())",
              "time.time_ns()"},
        Idiom{"from numpy.random import *\nprint(Generator(Philox(SEED)).random())",
              "time.time_ns()"},
        Idiom{"from numpy.random import *\nprint(Generator(SFC64(SEED)).random())",
              "time.time_ns()"},
        Idiom{"from numpy.random import *\ns = SeedSequence(entropy=SEED, pool_size=8)\n"
              "print(s.generate_state(2), [c.generate_state(1) for c in s.spawn(2)])",
              "time.time_ns()"},
        // Whatever is made of a clock where the seed stands.
        Idiom{"random.seed(SEED); print(random.random())", "hash(time.time())"},
        Idiom{"random.seed(SEED); print(random.random())", "str(time.time())"},
        Idiom{"random.seed(SEED); print(random.random())", "str(datetime.now())"},
        Idiom{"random.seed(SEED); print(random.random())", "time.time_ns() % 100003"},
        Idiom{"random.seed(SEED); print(random.random())", "time.time() % 1 * 0.37"},
        Idiom{"random.seed(SEED); print(random.random())", "-time.time_ns() << 40"},
        Idiom{"random.seed(\n  SEED\n  ); print(random.random())", "max(1,\n  hash(time.time()))"},
        Idiom{"import numpy\nprint(numpy.random.default_rng(SEED).random())",
              "[os.getpid(), time.time_ns()]"},
        Idiom{"import numpy\nprint(numpy.random.default_rng(SEED).random())",
              "(time.time_ns() % 1000003, 7)"},
        Idiom{"import numpy\nprint(numpy.random.default_rng(SEED).random())",
              "numpy.int64(time.time_ns())"},
        Idiom{"import numpy\nnumpy.random.seed(SEED)\nprint(numpy.random.rand())",
              "[time.time_ns() % 2**32, 1]"},
        Idiom{"import numpy\nprint(numpy.random.SeedSequence(SEED).generate_state(2))",
              "[1, time.time_ns()]"},
        Idiom{"import numpy\ns = SEED\nrandom.seed(s)\nnumpy.random.seed(s % 2**32)\n"
              "print(random.random(), numpy.random.rand(), numpy.random.default_rng(s).random())",
              "time.time_ns() // 1000000"}));

// Bit for bit, with a clock that was read before; they are recorded for a comparison of runs.
TEST(PythonSeeds, ThatAreFixedStay) {
  if (!has_numpy())
    GTEST_SKIP() << "no NumPy";
  const Texts command = {python, here + "python_fixed_seeds.py"};
  const std::string native = run(command, {{"PYTHONHASHSEED", "0"}}).out;
  ASSERT_EQ(lines(native).size(), 77U);
  const TemporaryFolder scratch;
  EXPECT_EQ(
      run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"PYTHONHASHSEED", "0"}})).out,
      native);
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& record : process.calls())
      EXPECT_TRUE(record["lib"] != "python" ||
                  (record["do"] == "observe" && record["requested"] == record["effective"]))
          << record;
}

// A clock that is read in the same line, but not for the seed.
TEST(PythonSeeds, ThatStandBesideAClockStay) {
  const std::string imports = "import random, time\n";
  for (const char* program :
       {"t = time.time(); random.seed(20260101); print(random.random())",
        "random.seed(20260101); t = time.time_ns(); print(random.random())",
        "t = time.time_ns(); random.seed(7 if t else 8); print(random.random())",
        "print([random.Random(s).random() for s in (1, time.time() and 1 << 40, 3)][0])",
        "def seed(s): random.seed(1 << 40)\nseed(hash(time.time())); print(random.random())",
        "for i in range(3): t = time.time(); random.seed(i << 30); print(random.random())"})
    EXPECT_EQ(printed(imports + program, {{"DETSHIM_SEED", "42"}}),
              run({python, "-c", imports + program}).out)
        << program;
}

// An id is the same whenever it is read.
TEST(PythonSeeds, OfAnIdRepeatAndAreOne) {
  if (run({python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"}).status != 0)
    GTEST_SKIP() << "an older Python";
  const std::string program = "import random, os\nrandom.seed(os.getpid())\nprint(random.random(), "
                              "random.Random(os.getpid()).random())\n"
                              "print(random.Random(hash((os.getpid(), 1))).random())\n";
  EXPECT_NE(run({python, "-c", program}).out, run({python, "-c", program}).out);
  const std::string drawn = printed(program, {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(printed(program, {{"DETSHIM_SEED", "42"}}), drawn);
  const std::string both = lines(drawn).at(0);
  EXPECT_EQ(both.substr(0, both.find(' ')), both.substr(both.find(' ') + 1));
  EXPECT_NE(lines(drawn).at(1), both.substr(0, both.find(' ')));
}

// Runs that a number on the command line tells apart have other seeds, where it may be mixed in.
TEST(PythonSeeds, OfTwoRepetitionsAreTwo) {
  if (run({python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"}).status != 0)
    GTEST_SKIP() << "an older Python";
  const auto drawn = [](const std::string& seed, const std::string& number) {
    const TemporaryFolder scratch;
    return run({python, "-c",
                "import random, sys, time\nrandom.seed(" + seed + ")\nprint(random.random())",
                "--rep", number},
               under_shim(scratch, {{"DETSHIM_SEED", "42"}}))
        .out;
  };
  for (const char* seed : {"time.time_ns() + int(sys.argv[2])", "hash((time.time(), sys.argv[2]))",
                           "f'{time.time()}-{sys.argv[2]}'"}) {
    EXPECT_EQ(drawn(seed, "1"), drawn(seed, "1")) << seed;
    EXPECT_NE(drawn(seed, "1"), drawn(seed, "2")) << seed;
  }
  EXPECT_EQ(drawn("time.time()", "1"), drawn("time.time()", "2")) << "DETSHIM_SEED, and that alone";
}

class InParallel : public testing::TestWithParam<const char*> {};

/// Each line has the numbers of one worker.
TEST_P(InParallel, RepeatAndAreEachItsOwn) {
  if (!has_numpy())
    GTEST_SKIP() << "no NumPy";
  const Texts command = {python, here + "python_parallel_seeds.py", GetParam()};
  std::string out[2];
  for (std::string& text : out) {
    const TemporaryFolder scratch;
    const Result result = run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
    EXPECT_EQ(result.status, 0) << result.err;
    text = result.out;
  }
  EXPECT_EQ(out[0], out[1]);
  const bool is_of_seconds =
      command.back().find("_late") != std::string::npos; // which two runs may share
  EXPECT_TRUE(is_of_seconds || run(command).out != run(command).out);
  const Texts workers = lines(out[0]);
  ASSERT_GE(workers.size(), 3U);
  std::vector<std::string> first; // what each draws first
  for (const std::string& worker : workers)
    first.push_back(worker.substr(worker.find(' ')));
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_NE(first[i], first[k]);
}

INSTANTIATE_TEST_SUITE_P(All, InParallel,
                         testing::Values("threads", "fork", "spawn", "forkserver", "passed",
                                         "fork_late", "main_first_late"),
                         [](const auto& tested) {
                           return std::string(tested.param);
                         });

struct Logged {
  nlohmann::json record; ///< the only one of the seeding functions'
  std::string verdict;
  Texts clocks; ///< texts of the reasons of that kind
};

Logged logged(const std::string& script, const Environment& more) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "train.py") << script;
  const Result result =
      run({python, (scratch.path() / "train.py").string()}, under_shim(scratch, more));
  EXPECT_EQ(result.status, 0) << result.err;
  Logged seen;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& record : process.calls())
      if (record["lib"] == "python")
        seen.record = record;
  const auto document = nlohmann::json::parse(
      run({DETSHIM_COMMAND, "log", "--no-scan", "--json", scratch.log().string()}).out);
  seen.verdict = document["verdict"];
  for (const auto& reason : document["reasons"])
    if (reason["kind"] == "clock")
      seen.clocks.push_back(reason["text"]);
  return seen;
}

const std::string one_line =
    "import random, time\nrandom.seed(time.time_ns())\nprint(random.random())\n";

/// Of an interpreter in another program: the library that Debian's Python is in has no part in it.
const std::string embedding = contents(FRAMEWORKS_FOLDER "/embeds_python.c");

TEST(PythonSeeds, OfAnEmbeddedInterpreterGiveWay) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "embed.c") << embedding;
  ASSERT_EQ(run({"gcc", "-w", "-o", "embed", "embed.c"}, {}, scratch.path()).status, 0);
  const std::string name =
      run({python, "-c",
           "import sys; print('libpython%d.%d.so.1.0' % sys.version_info[:2], end='')"})
          .out;
  const Texts command = {(scratch.path() / "embed").string(), name, one_line};
  if (run(command).status == 77)
    GTEST_SKIP() << "needs " << name;
  EXPECT_NE(run(command).out, run(command).out);
  EXPECT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out,
            run({python, "-c", "import random\nrandom.seed(42)\nprint(random.random())"}).out);
}

// What cannot be reached is named. What its program fixes stays.
TEST(PythonSeeds, OfASubinterpreterAreNamed) {
  const std::string code =
      "import _xxsubinterpreters as s\ncode = 'import random, time; random.seed(7); "
      "print(random.random()); random.seed(time.time())'\ns.run_string(s.create(), code)\n";
  if (run({python, "-c", code}).status != 0)
    GTEST_SKIP() << "no subinterpreters";
  const Logged seen = logged(code + one_line, {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(seen.verdict, "unverified");
  EXPECT_EQ(seen.clocks, Texts{"your code reads a clock or an id: train.py:3"});
  EXPECT_EQ(printed(code, {{"DETSHIM_SEED", "42"}}), run({python, "-c", code}).out);
}

TEST(PythonSeeds, OfPyPyAreLeftAndNamed) {
  const TemporaryFolder scratch;
  const Texts command = {
      "pypy3", "-c", "import random, time\nrandom.seed(7); print(random.random())\n" + one_line};
  const Result natively = run(command);
  if (natively.status != 0)
    GTEST_SKIP() << "needs pypy3";
  const Texts preloaded = lines(run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out);
  EXPECT_EQ(preloaded.at(0), lines(natively.out).at(0));
  EXPECT_NE(preloaded.at(1), lines(natively.out).at(1));
  const Result log = run({DETSHIM_COMMAND, "log", "--no-scan", "--json", scratch.log().string()});
  EXPECT_EQ(nlohmann::json::parse(log.out)["verdict"], "unverified") << log.out;
}

TEST(PythonSeedRecords, NameTheLineAndBothNumbers) {
  const Logged seen = logged(one_line, {{"DETSHIM_SEED", "42"}});
  ASSERT_FALSE(seen.record.is_null());
  EXPECT_EQ(seen.record["fn"], "python_random_seed");
  EXPECT_EQ(seen.record["do"], "pin");
  EXPECT_EQ(seen.record["why"], "clock_seed");
  EXPECT_EQ(seen.record["effective"], "42");
  EXPECT_EQ(seen.record["requested"].get<std::string>().size(), 19U);
  const std::string line = seen.record["py"][seen.record["user"].get<std::size_t>()];
  EXPECT_NE(line.find("train.py:2 <module>"), std::string::npos) << line;
}

// Of a clock with a fraction they are whole seconds, and not the hash that `random` makes of it.
TEST(PythonSeedRecords, NameTheSecondsOfAClock) {
  const Logged seen =
      logged("import random, time\nrandom.seed(time.time())\n", {{"DETSHIM_SEED", "42"}});
  ASSERT_FALSE(seen.record.is_null());
  EXPECT_EQ(seen.record["why"], "clock_seed");
  const auto requested = std::stoll(seen.record["requested"].get<std::string>());
  EXPECT_NEAR(static_cast<double>(requested), static_cast<double>(std::time(nullptr)), 1000);
}

bool tells_positions() { // PEP 657
  return run({python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"}).status == 0;
}

// A reading that is handed to what seeds, and nowhere else, is no reason.
TEST(PythonSeedRecords, LeaveNoReasonWhereTheReadingWentNowhereElse) {
  if (!tells_positions())
    GTEST_SKIP() << "an older Python";
  for (const char* program :
       {"random.seed(time.time_ns())\n", "random.seed(time.time())\nprint(random.random())\n",
        "random.seed(\n    time.time_ns())\n", "print(random.Random(time.time()).random())\n",
        "for i in range(40): random.seed(time.time_ns())\n",
        "def main():\n  random.seed(time.time_ns())\nmain()\nmain()\n"}) {
    const Logged seen =
        logged(std::string("import random, time\n") + program, {{"DETSHIM_SEED", "42"}});
    EXPECT_EQ(seen.clocks, Texts{}) << program;
    EXPECT_EQ(seen.record["why"], "clock_seed") << program;
  }
}

// What else the line made of it, nobody has seen.
TEST(PythonSeedRecords, LeaveTheLineThatReadForThemNamed) {
  for (const char* program :
       {"random.seed(t := time.time()); print(t)\n", "random.seed(print(t := time.time()) or t)\n",
        "random.seed(time.time_ns()); print(time.time())\n",
        "print(time.time()); random.seed(time.time_ns())\n",
        "print((random.seed(time.time_ns()), time.time()))\n",
        "random.seed((lambda t: print(t) or t)(time.time()))\n",
        "random.seed(int(time.time_ns()))\n",
        "for i in range(3): t = time.time(), random.seed(time.time_ns())\n",
        "t = time.time_ns()\nrandom.seed(t)\n"})
    EXPECT_EQ(
        logged(std::string("import random, time\n") + program, {{"DETSHIM_SEED", "42"}}).clocks,
        Texts{"your code reads a clock or an id: train.py:2"})
        << program;
}

// A function of the user's, or of a package, may use what it is handed for more.
TEST(PythonSeedRecords, LeaveTheLineNamedThatHandsItsReadingToAFunction) {
  for (const char* program :
       {"def seed(s): print(s); random.seed(s)\nseed(time.time_ns())\n",
        "class Own(random.Random):\n  def seed(self, s=1): print(s); super().seed(s)\n"
        "Own(time.time_ns())\n"})
    EXPECT_EQ(logged(std::string("import random, time\n") + program, {{"DETSHIM_SEED", "42"}})
                  .clocks.size(),
              1U)
        << program;
}

TEST(PythonSeedRecords, AreWhatTheModeAndThePolicySay) {
  const Logged observed = logged(one_line, {{"DETSHIM_MODE", "observe"}});
  EXPECT_EQ(observed.record["do"], "nondeterministic");
  EXPECT_EQ(observed.record["why"], "observed");
  const Logged kept = logged(one_line, {{"DETSHIM_SEED", "42"}, {"DETSHIM_SEED_POLICY", "keep"}});
  EXPECT_EQ(kept.record["do"], "nondeterministic");
  EXPECT_EQ(kept.record["why"], "kept_by_policy");
  EXPECT_EQ(kept.record["requested"], kept.record["effective"]);
  EXPECT_EQ(kept.verdict, "partial");
}

// One reading is one seed, what is added is added again, and another reading is another one.
TEST(PythonSeedRecords, KeepTheDistancesOfOneReading) {
  const std::string program =
      "import random, time\ns = int(time.time())\nrandom.seed(s)\nt = time.time()\n"
      "print(random.random(), [random.Random(s + i).random() for i in range(3)])\n"
      "print(random.Random(time.time_ns()).random())\n";
  const std::string first = printed(program, {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(printed(program, {{"DETSHIM_SEED", "42"}}), first);
  EXPECT_EQ(lines(first).at(0), lines(run({python, "-c",
                                           "import random\nrandom.seed(42)\nprint(random.random(), "
                                           "[random.Random(42 + i).random() for i in range(3)])"})
                                          .out)
                                    .at(0));
  EXPECT_NE(
      lines(first).at(1),
      lines(run({python, "-c", "import random\nprint(random.Random(42).random())"}).out).at(0));
}

} // namespace
