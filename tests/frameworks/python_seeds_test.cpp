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

/// A section of `seeding_idioms.py`, which has `SEED` where the seed stands, and what stands there.
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
  return program;
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
  const auto& [name, seed] = GetParam();
  const std::string program = section(PROGRAMS "seeding_idioms.py", name);
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
        Idiom{"random_seed", "time.time()"}, Idiom{"random_seed", "time.time_ns()"},
        Idiom{"random_seed", "time.time() * 1000"}, Idiom{"random_seed", "int(time.time() * 1e6)"},
        Idiom{"random_seed", "int(time.time() * 1e9)"},
        Idiom{"random_seed", "time.time_ns() // 1000"}, Idiom{"random_seed", "time.perf_counter()"},
        Idiom{"random_seed", "time.perf_counter_ns()"},
        Idiom{"random_seed", "datetime.now().timestamp()"},
        Idiom{"random_seed", "int(datetime.now().timestamp() * 1e6)"},
        Idiom{"random_seed", "datetime.now(timezone.utc).timestamp()"},
        Idiom{"random_object", "time.time_ns()"}, Idiom{"class_of_its_own", "time.time()"},
        Idiom{"function_among_other_readings", "time.time_ns()"},
        Idiom{"after_many_readings", "time.time()"},
        Idiom{"numpy_seed", "time.time_ns() // 1000000"},
        // What is left of a clock may be a small number, which stays.
        Idiom{"numpy_seed_that_is_large", "int(time.time() * 1e6) % 2**32"},
        Idiom{"read_before_numpy_is_imported", "time.time_ns() // 1000000"},
        Idiom{"random_state", "time.time_ns() // 1000000"}, Idiom{"default_rng", "time.time_ns()"},
        Idiom{"default_rng_by_a_name", "time.time_ns()"}, Idiom{"pcg64", "time.time_ns()"},
        Idiom{"mt19937", "time.time_ns()"}, Idiom{"philox", "time.time_ns()"},
        Idiom{"sfc64", "time.time_ns()"}, Idiom{"children_of_a_seed_sequence", "time.time_ns()"},
        // Whatever is made of a clock where the seed stands.
        Idiom{"random_seed", "hash(time.time())"}, Idiom{"random_seed", "str(time.time())"},
        Idiom{"random_seed", "str(datetime.now())"},
        Idiom{"random_seed", "time.time_ns() % 100003"},
        Idiom{"random_seed", "time.time() % 1 * 0.37"},
        Idiom{"random_seed", "-time.time_ns() << 40"},
        Idiom{"over_lines", "max(1,\n  hash(time.time()))"},
        Idiom{"default_rng", "[os.getpid(), time.time_ns()]"},
        Idiom{"default_rng", "(time.time_ns() % 1000003, 7)"},
        Idiom{"default_rng", "numpy.int64(time.time_ns())"},
        Idiom{"numpy_seed_as_it_is", "[time.time_ns() % 2**32, 1]"},
        Idiom{"seed_sequence", "[1, time.time_ns()]"},
        Idiom{"three_generators", "time.time_ns() // 1000000"}));

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
  for (const auto& [name, program] : sections(PROGRAMS "fixed_seeds_beside_a_clock.py"))
    EXPECT_EQ(printed(program, {{"DETSHIM_SEED", "42"}}), run({python, "-c", program}).out) << name;
}

// An id is the same whenever it is read.
TEST(PythonSeeds, OfAnIdRepeatAndAreOne) {
  if (run({python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"}).status != 0)
    GTEST_SKIP() << "an older Python";
  const std::string program = contents(PROGRAMS "seeds_of_process_id.py");
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
    return run({python, "-c", with_seed(contents(PROGRAMS "seeded_draw.py"), seed), "--rep",
                number},
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
  Texts clocks; ///< the lines that the reasons of that kind name
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
      for (const auto& line : reason["names"])
        seen.clocks.push_back(line);
  return seen;
}

const std::string seed_of_clock = contents(PROGRAMS "seed_of_clock.py");

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
  const Texts command = {(scratch.path() / "embed").string(), name, seed_of_clock};
  if (run(command).status == 77)
    GTEST_SKIP() << "needs " << name;
  EXPECT_NE(run(command).out, run(command).out);
  EXPECT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out,
            run({python, "-c", with_seed(contents(PROGRAMS "seeded_draw.py"), "42")}).out);
}

// What cannot be reached is named. What its program fixes stays.
TEST(PythonSeeds, OfASubinterpreterAreNamed) {
  const std::string code = contents(PROGRAMS "subinterpreter_that_seeds.py");
  if (run({python, "-c", code}).status != 0)
    GTEST_SKIP() << "no subinterpreters";
  const Logged seen = logged(code + seed_of_clock, {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(seen.verdict, "unverified");
  EXPECT_EQ(seen.clocks, Texts{"train.py:3"});
  EXPECT_EQ(printed(code, {{"DETSHIM_SEED", "42"}}), run({python, "-c", code}).out);
}

TEST(PythonSeeds, OfPyPyAreLeftAndNamed) {
  const TemporaryFolder scratch;
  const Texts command = {"pypy3", "-c", contents(PROGRAMS "fixed_seed_and_seed_of_clock.py")};
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
  const Logged seen = logged(seed_of_clock, {{"DETSHIM_SEED", "42"}});
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
      logged(section(PROGRAMS "readings_for_seeds_alone.py", "seconds"), {{"DETSHIM_SEED", "42"}});
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
  for (const auto& [name, program] : sections(PROGRAMS "readings_for_seeds_alone.py")) {
    const Logged seen = logged(program, {{"DETSHIM_SEED", "42"}});
    EXPECT_EQ(seen.clocks, Texts{}) << name;
    EXPECT_EQ(seen.record["why"], "clock_seed") << name;
  }
}

// What else the line made of it, nobody has seen.
TEST(PythonSeedRecords, LeaveTheLineThatReadForThemNamed) {
  for (const auto& [name, program] : sections(PROGRAMS "readings_for_seeds_and_more.py"))
    EXPECT_EQ(logged(program, {{"DETSHIM_SEED", "42"}}).clocks, Texts{"train.py:2"}) << name;
}

// A function of the user's, or of a package, may use what it is handed for more.
TEST(PythonSeedRecords, LeaveTheLineNamedThatHandsItsReadingToAFunction) {
  for (const auto& [name, program] : sections(PROGRAMS "readings_handed_to_functions.py"))
    EXPECT_EQ(logged(program, {{"DETSHIM_SEED", "42"}}).clocks.size(), 1U) << name;
}

TEST(PythonSeedRecords, AreWhatTheModeAndThePolicySay) {
  const Logged observed = logged(seed_of_clock, {{"DETSHIM_MODE", "observe"}});
  EXPECT_EQ(observed.record["do"], "nondeterministic");
  EXPECT_EQ(observed.record["why"], "observed");
  const Logged kept =
      logged(seed_of_clock, {{"DETSHIM_SEED", "42"}, {"DETSHIM_SEED_POLICY", "keep"}});
  EXPECT_EQ(kept.record["do"], "nondeterministic");
  EXPECT_EQ(kept.record["why"], "kept_by_policy");
  EXPECT_EQ(kept.record["requested"], kept.record["effective"]);
  EXPECT_EQ(kept.verdict, "partial");
}

// One reading is one seed, what is added is added again, and another reading is another one.
TEST(PythonSeedRecords, KeepTheDistancesOfOneReading) {
  const std::string program = contents(PROGRAMS "distances_of_one_reading.py");
  const std::string first = printed(program, {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(printed(program, {{"DETSHIM_SEED", "42"}}), first);
  const std::string fixed = contents(PROGRAMS "distances_of_a_fixed_seed.py");
  EXPECT_EQ(lines(first).at(0), lines(run({python, "-c", fixed}).out).at(0));
  EXPECT_NE(
      lines(first).at(1),
      lines(run({python, "-c", "import random\nprint(random.Random(42).random())"}).out).at(0));
}

} // namespace
