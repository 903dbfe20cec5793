// Seeds that the program passes itself: what it fixes stays as it is or follows from the value
// alone, what changes from run to run is replaced by what does not.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <set>

#include <unistd.h>

namespace {

using Lines = std::vector<std::string>;

Lines native(const std::string& family, const std::string& scenario,
             const std::string& number = "0") {
  return lines(run({SEEDING_PROGRAM, family, scenario, number}).out);
}

/// Addresses are random: where they are not, a seed that is made of one is the same in every run.
Environment with_random_addresses(const std::string& scenario, Environment environment) {
  for (const char* address : {"stack", "heap", "data", "thread"})
    if (scenario == address)
      environment["DETSHIM_LAYOUT"] = "leave";
  return environment;
}

Lines under_seed(const std::string& family, const std::string& scenario,
                 const std::string& number = "0",
                 const Environment& more = {{"DETSHIM_SEED", "42"}}) {
  const TemporaryFolder scratch;
  std::vector<std::string> command = {SEEDING_PROGRAM, family, scenario};
  if (!number.empty())
    command.push_back(number);
  const Result result = run(command, under_shim(scratch, with_random_addresses(scenario, more)));
  EXPECT_EQ(result.status, 0) << result.err;
  return lines(result.out);
}

size_t distinct(const Lines& values) {
  return std::set<std::string>(values.begin(), values.end()).size();
}

const char* const families[] = {"srand",     "srandom",   "initstate", "initstate_r",
                                "srandom_r", "rand_r",    "srand48",   "seed48",
                                "lcong48",   "srand48_r", "erand48",   "nrand48"};

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }

class Seeds : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Seeds, testing::ValuesIn(families), name_of);

// ---- what the program fixes

/// A run by DETSHIM_SEED of what the program fixes.
Environment varied(const char* seed) {
  return {{"DETSHIM_SEED", seed}, {"DETSHIM_SEED_POLICY", "vary"}};
}

TEST_P(Seeds, OfTasksGoByTheTaskAndNotByTheThread) {
  for (const char* scenario : {"pool", "pool_with_clocks"}) {
    const Lines values = under_seed(GetParam(), scenario);
    EXPECT_EQ(distinct(values), 64u);
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(under_seed(GetParam(), scenario), values) << scenario;
    EXPECT_EQ(under_seed(GetParam(), scenario, "0", {{"DETSHIM_SEED", "43"}}), values);
    EXPECT_EQ(values[5], native(GetParam(), "value", "1005")[0]);
    const Lines others = under_seed(GetParam(), scenario, "0", varied("42"));
    EXPECT_EQ(distinct(others), 64u);
    EXPECT_EQ(under_seed(GetParam(), scenario, "0", varied("42")), others) << scenario;
    EXPECT_NE(under_seed(GetParam(), scenario, "0", varied("43")), others) << scenario;
    EXPECT_NE(others, values);
  }
}

TEST_P(Seeds, AreTheProgramsOwnInEachMode) {
  for (const char* number : {"0", "1", "7", "1234", "123456789", "4000000000"})
    for (const char* mode : {"enforce", "strict", "record", "observe"})
      EXPECT_EQ(under_seed(GetParam(), "values", number,
                           {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", mode}}),
                native(GetParam(), "values", number))
          << mode << ' ' << number;
}

TEST_P(Seeds, OfIndicesAreTheSameForAnyNumberOfThreads) {
  const Lines values = under_seed(GetParam(), "divided", "1");
  EXPECT_EQ(distinct(values), 16u);
  EXPECT_EQ(under_seed(GetParam(), "divided", "2"), values);
  EXPECT_EQ(under_seed(GetParam(), "divided", "4"), values);
}

// Behind a clock, too: in the code, in a function that leads there, in a table, in a variable.
TEST_P(Seeds, AreTheProgramsOwnWhereverTheyStand) {
  for (const char* scenario : {"fixed_in_caller", "fixed_in_table", "fixed_in_variable"})
    for (const char* mode : {"enforce", "strict", "record", "observe"})
      EXPECT_EQ(
          under_seed(GetParam(), scenario, "0", {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", mode}}),
          native(GetParam(), scenario))
          << mode << ' ' << scenario;
}

/// Programs of interpreters that read clocks and fix their seeds, and a program that they need.
struct Golden {
  const char* name;
  std::vector<std::string> command;
};

std::vector<Golden> golden_programs() {
  return {
      {"perl", {"perl", "-e", "my $t = time; srand(20260101); print rand, rand"}},
      {"ruby", {"ruby", "-e", "t = Time.now; srand(20260101); print rand, Random.new(7).rand"}},
      {"php",
       {"php", "-r", "$t = microtime(true); mt_srand(20260101); echo mt_rand(), ' ', rand();"}},
      {"php_engine", {"php", "-r", "$t = hrtime(); srand(7); echo rand(), ' ', mt_rand();"}},
      {"gawk", {"gawk", "BEGIN { t = systime(); srand(20260101); print rand(), rand() }"}},
      {"bash", {"bash", "-c", "t=$(date +%s); RANDOM=7; echo $RANDOM $RANDOM"}},
      {"R",
       {"Rscript", "-e", "t <- Sys.time(); set.seed(20260101); print(runif(3)); print(rnorm(2))"}},
      {"lua",
       {"lua5.4", "-e", "local t = os.time(); math.randomseed(20260101); print(math.random())"}},
      {"tcl",
       {"sh", "-c", "echo 'clock seconds; expr srand(20260101); puts [expr rand()]' | tclsh"}},
      {"python",
       {"/usr/bin/python3", "-c",
        "import random, time; t = time.time(); random.seed(20260101); print(random.random())"}},
      {"python_text",
       {"/usr/bin/python3", "-c",
        "import random, time; t = time.time(); random.seed('a text'); print(random.random())"}},
      {"python_object",
       {"/usr/bin/python3", "-c",
        "import random, time; t = time.time(); print(random.Random(1 << 70).random())"}},
      {"numpy_legacy",
       {"/usr/bin/python3", "-c",
        "import time, numpy; t = time.time(); numpy.random.seed(20260101); "
        "print(numpy.random.rand())"}},
      {"numpy",
       {"/usr/bin/python3", "-c",
        "import time, numpy; t = time.time(); print(numpy.random.default_rng([7, "
        "20260101]).random())"}},
      {"torch",
       {"/usr/bin/python3", "-c",
        "import time, torch; t = time.time(); torch.manual_seed(20260101); print(torch.rand(2))"}},
  };
}

class GoldenValues : public testing::TestWithParam<Golden> {};
INSTANTIATE_TEST_SUITE_P(All, GoldenValues, testing::ValuesIn(golden_programs()),
                         [](const auto& tested) {
                           return std::string(tested.param.name);
                         });

TEST_P(GoldenValues, AreThoseOfTheProgramsSeed) {
  const std::vector<std::string>& command = GetParam().command;
  const Result natively = run(command);
  if (natively.status != 0)
    GTEST_SKIP() << command[0] << " is not here, or lacks a module: " << natively.err;
  ASSERT_NE(natively.out, "");
  EXPECT_EQ(run(command).out, natively.out) << "the program fixes its seed";
  for (const char* mode : {"enforce", "strict", "record", "observe"}) {
    const TemporaryFolder scratch;
    const Result result =
        run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", mode}}));
    EXPECT_EQ(result.out, natively.out) << mode << result.err;
  }
}

TEST_P(Seeds, ThatAreEqualStayEqualAndDistinctOnesDistinct) {
  for (const char* number : {"0", "1", "7", "1234", "123456789", "4000000000"}) {
    const Lines values = under_seed(GetParam(), "values", number, varied("42"));
    EXPECT_EQ(values[0], values[2]);
    EXPECT_NE(values[0], values[1]);
    EXPECT_NE(values[0], under_seed(GetParam(), "values", number, varied("43"))[0]);
    EXPECT_NE(values[0], native(GetParam(), "value", number)[0]);
  }
}

TEST_P(Seeds, AreEqualInAChild) {
  for (const char* scenario : {"child", "child_first", "child_by_exec"})
    for (const char* number : {"7", "987654321"}) {
      const Lines values = under_seed(GetParam(), scenario, number);
      ASSERT_EQ(values.size(), 2u);
      EXPECT_EQ(values[0], values[1]) << scenario;
    }
}

TEST_P(Seeds, AreEqualInEveryRankAndDistinctWhereTheRankIsAdded) {
  std::set<std::string> alike, apart;
  for (const char* rank : {"0", "1", "2", "3"}) {
    const Environment environment = {{"DETSHIM_SEED", "42"}, {"RANK", rank}};
    alike.insert(under_seed(GetParam(), "value", "1234", environment)[0]);
    apart.insert(
        under_seed(GetParam(), "value", std::to_string(1234 + std::stoi(rank)), environment)[0]);
    EXPECT_EQ(under_seed(GetParam(), "value_after_clock", "1234", environment)[0], *alike.begin());
  }
  EXPECT_EQ(alike.size(), 1u);
  EXPECT_EQ(apart.size(), 4u);
}

TEST_P(Seeds, OfTheCommandLineStayApart) {
  EXPECT_NE(under_seed(GetParam(), "value_after_clock", "20260101"),
            under_seed(GetParam(), "value_after_clock", "20260102"));
  // Near to a clock by chance: the second in which the user wrote it, or one before.
  const std::string second = std::to_string(std::time(nullptr) - 120);
  EXPECT_EQ(under_seed(GetParam(), "value_after_clock", second),
            under_seed(GetParam(), "value", second));
}

// ---- what changes from run to run

struct FromClock {
  const char *family, *source;
};
class ChangingSeeds : public testing::TestWithParam<FromClock> {};

TEST_P(ChangingSeeds, GiveWayToTheSeedItself) {
  const auto& [family, source] = GetParam();
  const Lines values = under_seed(family, source);
  EXPECT_EQ(values, native(family, "value", "42"));
  EXPECT_EQ(under_seed(family, source), values);
  EXPECT_EQ(under_seed(family, source, "0", {{"DETSHIM_SEED", "43"}}),
            native(family, "value", "43"));
}

std::vector<FromClock> every_source() {
  std::vector<FromClock> all;
  for (const char* family : {"srand", "srandom_r", "rand_r", "srand48", "seed48", "erand48"})
    for (const char* source : {"seconds", "milliseconds", "microseconds", "nanoseconds", "steady",
                               "usec_alone", "nsec_alone", "timespec_get", "clock", "times", "pid",
                               "ppid", "tid", "stack", "heap", "data", "thread"})
      all.push_back({family, source});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, ChangingSeeds, testing::ValuesIn(every_source()),
                         [](const auto& tested) {
                           return tested.param.family + std::string("_") + tested.param.source;
                         });

// What no hook has noted explains nothing.
TEST(ChangingSeeds, AreToldByTheHooks) {
  for (const auto& [source, hook] :
       std::vector<std::pair<std::string, std::string>>{{"timespec_get", "timespec_get"},
                                                        {"usec_alone", "gettimeofday"},
                                                        {"steady", "clock_gettime"},
                                                        {"clock", "clock"},
                                                        {"times", "times"},
                                                        {"pid", "getpid"},
                                                        {"ppid", "getppid"},
                                                        {"tid", "gettid"}}) {
    const Lines told = native("srand", "value", "42");
    EXPECT_EQ(under_seed("srand", source), told) << source;
    // One of a few of such a value may stand in the code; not all.
    bool all = true;
    for (int i = 0; i < 3; ++i)
      all &= under_seed("srand", source, "0",
                        {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", hook}}) == told;
    EXPECT_FALSE(all) << hook;
  }
  EXPECT_NE(under_seed("srand", "shifted", "1000",
                       {{"DETSHIM_SEED", "42"}, {"RANK", "0"}, {"DETSHIM_DISABLE", "time"}}),
            native("srand", "value", "1042"));
}

TEST_P(Seeds, FromAClockKeepWhatIsAdded) {
  const Environment rank = {{"DETSHIM_SEED", "42"}, {"RANK", "0"}};
  EXPECT_EQ(under_seed(GetParam(), "shifted", "3", rank), native(GetParam(), "value", "45"));
  EXPECT_EQ(under_seed(GetParam(), "shifted", "1000", rank), native(GetParam(), "value", "1042"));
}

TEST_P(Seeds, FromOneReadingAreOneSeed) {
  for (const char* scenario : {"replay", "replay_fine"}) {
    const Lines values = under_seed(GetParam(), scenario);
    EXPECT_EQ(distinct(values), 1u) << scenario;
    EXPECT_EQ(values[0], native(GetParam(), "value", "42")[0]);
  }
}

TEST_P(Seeds, FromEachReadingAreNewWhetherOrNotInOneSecond) {
  const Lines values = under_seed(GetParam(), "again");
  EXPECT_EQ(distinct(values), 3u);
  EXPECT_EQ(values[0], native(GetParam(), "value", "42")[0]);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(under_seed(GetParam(), "again"), values);
}

TEST_P(Seeds, FromTheMainThreadsClockGoByTheTask) {
  const Lines values = under_seed(GetParam(), "pool_from_a_clock");
  EXPECT_EQ(distinct(values), 64u);
  EXPECT_EQ(values[5], native(GetParam(), "value", "47")[0]);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(under_seed(GetParam(), "pool_from_a_clock"), values);
}

TEST_P(Seeds, FromTheMainThreadsClockDoNotCareWhoEndsMeanwhile) {
  const Lines values = under_seed(GetParam(), "short_threads_from_a_clock");
  EXPECT_EQ(distinct(values), 800u);
  EXPECT_EQ(values[5], native(GetParam(), "value", "47")[0]);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(under_seed(GetParam(), "short_threads_from_a_clock"), values);
}

TEST_P(Seeds, FromTheirOwnClocksAreTheThreadsOwn) {
  for (const char* scenario : {"threads_with_clocks", "children_with_clocks"}) {
    const Lines values = under_seed(GetParam(), scenario);
    EXPECT_EQ(distinct(values), values.size()) << scenario;
    EXPECT_EQ(under_seed(GetParam(), scenario), values) << scenario;
  }
}

// What other call sites read is noted beside it; where they are too many, nobody says that it is no
// clock's.
TEST(Seeds, FromAClockAreKnownHoweverManyReadOneAfterwards) {
  for (const char* sites : {"0", "8", "16", "24", "30"})
    EXPECT_EQ(under_seed("srand", "read_by_others", sites), native("srand", "value", "42"))
        << sites;
  const TemporaryFolder scratch;
  run({SEEDING_PROGRAM, "srand", "read_by_others", "400"},
      under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  const auto calls = read_log(scratch.log()).at(0).calls("srand");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0]["why"], "ordered_seed");
}

TEST_P(Seeds, FromTheParentsClockAreTheParents) {
  const Lines values = under_seed(GetParam(), "child_with_the_parents_clock");
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(under_seed(GetParam(), "child_with_the_parents_clock"), values);
}

/// Four ranks of one job; what each wrote.
Lines ranks(const std::string& family, const std::string& scenario,
            const std::string& number = "0") {
  const TemporaryFolder scratch;
  const std::string folder = scratch.path();
  const std::string command = "for r in 0 1 2 3; do RANK=$r '" SEEDING_PROGRAM "' " + family + " " +
                              scenario + " " + number + " '" + folder + "/sent' >'" + folder +
                              "'/out.$r & done; wait";
  const Result result = run({"sh", "-c", command}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(result.status, 0) << result.err;
  Lines all;
  for (int rank = 0; rank < 4; ++rank) {
    std::string line;
    std::ifstream file(folder + "/out." + std::to_string(rank));
    std::getline(file, line);
    all.push_back(line);
  }
  return all;
}

TEST_P(Seeds, FromTheirOwnClocksAreTheRanksOwn) {
  for (const char* scenario : {"rank_clock", "rank_seconds"}) {
    const Lines values = ranks(GetParam(), scenario);
    EXPECT_EQ(distinct(values), 4u);
    EXPECT_EQ(values[0], native(GetParam(), "value", "42")[0]);
    EXPECT_EQ(ranks(GetParam(), scenario), values);
  }
}

TEST_P(Seeds, FromAClockThatOneRankSentAreOneOnAll) {
  const Lines values = ranks(GetParam(), "rank_sent");
  EXPECT_EQ(distinct(values), 1u);
  EXPECT_EQ(values[0], native(GetParam(), "value", "42")[0]);
  EXPECT_EQ(ranks(GetParam(), "rank_sent", "1"),
            (Lines{values[0], native(GetParam(), "value", "43")[0],
                   native(GetParam(), "value", "44")[0], native(GetParam(), "value", "45")[0]}));
}

// ---- what may have come from a clock, in the order of the seeds

struct Mixture {
  const char *family, *source;
};
class Mixtures : public testing::TestWithParam<Mixture> {};

TEST_P(Mixtures, RepeatInTheFirstRun) {
  const auto& [family, source] = GetParam();
  bool differs = false; // two readings of few digits may be equal by chance
  for (int run = 0; run < 5 && !differs; ++run)
    differs = native(family, source) != native(family, source);
  EXPECT_TRUE(differs);
  const Lines values = under_seed(family, source, "");
  EXPECT_EQ(under_seed(family, source, ""), values);
  const Lines others = under_seed(family, source, "", {{"DETSHIM_SEED", "43"}});
  EXPECT_NE(others, values);
  if (std::string(family).find("48") != std::string::npos)
    return; // a number of the command line
  EXPECT_EQ(values, native(family, "value", "42"));
  EXPECT_EQ(others, native(family, "value", "43"));
}

std::vector<Mixture> every_mixture_in_order() {
  std::vector<Mixture> all;
  for (const char* family : families)
    for (const char* source :
         {"usec_xor_sec", "seconds_xor_clock", "seconds_xor_pid", "seconds_plus_pid",
          "seconds_times_pid", "seconds_minus_pid", "microseconds_times_pid", "hashed"})
      all.push_back({family, source});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Mixtures, testing::ValuesIn(every_mixture_in_order()),
                         [](const auto& tested) {
                           return tested.param.family + std::string("_") + tested.param.source;
                         });

TEST_P(Seeds, OfMixturesAreEqualWhereTheValuesAre) {
  // Two values, the first of them again, in a thread and in a forked child.
  const Lines values = under_seed(GetParam(), "mixtures_again");
  ASSERT_EQ(values.size(), 5u);
  EXPECT_EQ(distinct(values), 2u);
  EXPECT_NE(values[0], values[1]);
  EXPECT_EQ((Lines{values[2], values[3], values[4]}), (Lines{values[0], values[0], values[0]}));
  EXPECT_EQ(under_seed(GetParam(), "mixtures_again"), values);
}

// ./simulation --rep 1 and --rep 2 are two runs; a time or a temporary file's name makes none.
TEST_P(Seeds, OfMixturesAreOthersWhereASmallNumberOfTheCommandLineIs) {
  const auto with = [this](const char* argument) {
    return under_seed(GetParam(), "hashed", argument);
  };
  EXPECT_NE(with("1"), with("2"));
  EXPECT_NE(with("--rep=1"), with("--rep=2"));
  EXPECT_NE(with("data_01.csv"), with("data_02.csv"));
  EXPECT_NE(with("-r1"), with("-r2"));
  EXPECT_NE(with("1/4"), with("2/4"));
  EXPECT_EQ(with("out/2026-11-29_01-37"), with("out/2026-11-30_02-48"));
  EXPECT_EQ(with("1"), with("1"));
  EXPECT_EQ(with("1795000000"), with("1795000001"));
  EXPECT_EQ(with("/tmp/run.77/3"), with("/tmp/run.78/4"));
}

// MPICH's mpiexec seeds so.
TEST(ClocksAsDoubles, AreReadingsHoweverTheyAreRounded) {
  const TemporaryFolder scratch;
  const std::string program = (scratch.path() / "seed").string();
  ASSERT_EQ(run({"gcc", "-O2", "-o", program, PROGRAMS "double_clock_seeds.c"}).status, 0);
  EXPECT_NE(run({program}).out, run({program}).out);
  const std::string drawn = run({program}, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out;
  EXPECT_EQ(lines(drawn).size(), 40u);
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls("srand"))
      EXPECT_EQ(call["why"], "clock_seed");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(run({program}, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out, drawn);
}

TEST(Mixtures, OfOpenMpsClockRepeatInTheFirstRun) {
  const TemporaryFolder scratch;
  const std::string program = (scratch.path() / "seed").string();
  ASSERT_EQ(run({"gcc", "-fopenmp", "-o", program, PROGRAMS "openmp_clock_seed.c"}).status, 0);
  EXPECT_NE(run({program}).out, run({program}).out);
  const auto drawn = [&] {
    return run({program}, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out;
  };
  EXPECT_EQ(drawn(), drawn());
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls("srand"))
      EXPECT_EQ(call["why"], "ordered_seed");
}

// A rank, a thread and a child beside others may mean the same value as another: it stays.
TEST(Mixtures, StayWhereTheOrderOfSeedsIsARace) {
  const Lines values = under_seed("srand", "hashed_in_threads");
  EXPECT_NE(under_seed("srand", "hashed_in_threads"), values);
  const Environment rank = {{"DETSHIM_SEED", "42"}, {"RANK", "1"}};
  EXPECT_NE(under_seed("srand", "hashed", "0", rank), under_seed("srand", "hashed", "0", rank));
}

// A program that keeps it goes back to it later.
TEST(Seeds, AreInTheStateThatSeed48ReturnsBeforeAnyDraw) {
  EXPECT_EQ(under_seed("seed48", "before_seed48"), native("seed48", "before_seed48", "42"));
}

// ---- what a comparison showed

/// What `detshim verify` keeps of the program's seeds: the call site of a run's log, and what
/// stands behind it.
Environment learned(const TemporaryFolder& scratch, const std::string& family,
                    const std::string& scenario, const std::string& known = "") {
  run({SEEDING_PROGRAM, family, scenario, "0"}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  std::set<std::string> entries;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      if (call.contains("requested") && call.contains("at") && call["why"] != "own_value") {
        const std::string at = call["at"];
        entries.insert("\"" + at.substr(at.rfind('/') + 1) + known + "\"");
      }
  const std::string file = (scratch.path() / "evidence.json").string();
  std::ofstream out(file);
  out << R"({"note": "\"learned_seeds\": [\"x\"]", "learned_seeds" : [)";
  for (const std::string& entry : entries)
    out << (entry == *entries.begin() ? "" : ", ") << entry;
  out << "]}\n";
  return {{"DETSHIM_SEED", "42"}, {"DETSHIM_LEARNED_SEEDS", file}};
}

class LearnedSeeds : public testing::TestWithParam<FromClock> {};

TEST_P(LearnedSeeds, GiveWayToTheSeedItself) {
  const auto& [family, source] = GetParam();
  const TemporaryFolder scratch;
  Environment environment = learned(scratch, family, source);
  const Lines given = native(family, "value", "42");
  int kept = 0; // in one run of thousands a hash looks like an address
  for (int i = 0; i < 3; ++i)
    kept += under_seed(family, source) != given;
  EXPECT_GE(kept, 2);
  EXPECT_EQ(under_seed(family, source, "0", environment), given);
  environment["DETSHIM_SEED"] = "43";
  EXPECT_EQ(under_seed(family, source, "0", environment), native(family, "value", "43"));
}

std::vector<FromClock> every_mixture() {
  std::vector<FromClock> all;
  for (const char* family : {"srand", "srandom_r", "rand_r", "srand48", "seed48", "erand48"})
    for (const char* source :
         {"usec_xor_sec", "seconds_xor_clock", "seconds_xor_pid", "seconds_plus_pid",
          "seconds_times_pid", "seconds_minus_pid", "microseconds_times_pid", "hashed"})
      all.push_back({family, source});
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, LearnedSeeds, testing::ValuesIn(every_mixture()),
                         [](const auto& tested) {
                           return tested.param.family + std::string("_") + tested.param.source;
                         });

TEST_P(Seeds, ThatAreLearnedAreTheThreadsOwn) {
  const TemporaryFolder scratch;
  const Environment environment = learned(scratch, GetParam(), "hashed_in_threads");
  const Lines values = under_seed(GetParam(), "hashed_in_threads", "0", environment);
  EXPECT_EQ(distinct(values), 4u);
  EXPECT_EQ(under_seed(GetParam(), "hashed_in_threads", "0", environment), values);
}

// 48 ranks of 8 workers of 16 threads, each with a clock of its own.
TEST(Seeds, OfACrowdAreEachThreadsOwn) {
  const TemporaryFolder scratch;
  for (const auto& [family, number] :
       {std::pair{"srand", "0"}, {"srand48", "1"}}) { // an exact reading; a learned hash
    Environment environment = {{"DETSHIM_SEED", "42"}};
    if (*number == '1')
      environment = learned(scratch, family, "hashed_in_threads");
    Lines all;
    for (int rank = 0; rank < 48; ++rank) {
      environment["RANK"] = std::to_string(rank);
      const Lines values = under_seed(family, "crowd", number, environment);
      if (rank % 16 == 0) {
        EXPECT_EQ(under_seed(family, "crowd", number, environment), values);
      }
      all.insert(all.end(), values.begin(), values.end());
    }
    EXPECT_EQ(all.size(), 48u * 8 * 16);
    EXPECT_EQ(distinct(all), all.size()) << family << ' ' << number;
  }
}

// What the program fixed in the compared runs, and what the user passes, stays.
TEST(LearnedSeeds, AreNotTheProgramsOwn) {
  const TemporaryFolder scratch;
  const Lines given = native("srand", "value", "42");
  const Environment changing = learned(scratch, "srand", "epochs");
  const Lines epochs = under_seed("srand", "epochs", "0", changing);
  EXPECT_EQ(epochs[0], given[0]);
  EXPECT_EQ(distinct(epochs), 6u);
  EXPECT_NE(under_seed("srand", "value", "1234567", changing), given)
      << "it stands on the command line";
  const TemporaryFolder other;
  std::string values;
  run({SEEDING_PROGRAM, "srand", "epochs", "0"}, under_shim(other, {{"DETSHIM_SEED", "42"}}));
  for (const ProcessLog& process : read_log(other.log()))
    for (const auto& call : process.calls("srand"))
      values += " " + call["requested"].get<std::string>();
  EXPECT_EQ(under_seed("srand", "epochs", "0", learned(scratch, "srand", "epochs", values)),
            native("srand", "epochs"));
  // Of a program that goes on at the fourth.
  const Environment unchanging = learned(scratch, "srand", "epochs", " same" + values);
  EXPECT_EQ(under_seed("srand", "epochs", "3", unchanging), native("srand", "epochs", "3"));
}

// The first of those that change begins with the seed itself, whatever stands before it.
TEST(LearnedSeeds, ThatDoNotChangeTakeNoSeed) {
  const TemporaryFolder scratch;
  const Environment environment = learned(scratch, "srand", "hashed");
  const std::string file = environment.at("DETSHIM_LEARNED_SEEDS");
  std::string text = contents(file);
  text.insert(text.rfind('[') + 1, R"("other.cpp+0x1 same 5", )");
  std::ofstream(file) << text;
  EXPECT_EQ(under_seed("srand", "hashed", "0", environment), native("srand", "value", "42"));
}

// Of which every process passed the same: one had sent it to the others.
TEST(LearnedSeeds, OfAllProcessesAreAlikeInThem) {
  const TemporaryFolder scratch;
  const Lines given = native("srand", "value", "42");
  Environment of_all = learned(scratch, "srand", "hashed", " all");
  for (const char* rank : {"0", "1"}) {
    of_all["RANK"] = rank;
    EXPECT_EQ(under_seed("srand", "hashed", "0", of_all), given);
  }
  Environment own = learned(scratch, "srand", "hashed");
  own["RANK"] = "1";
  EXPECT_NE(under_seed("srand", "hashed", "0", own), given);
}

// Of which threads passed the same: it is the process's, whichever of them is first, and a forked
// child has it from there. Else values that are equal are so by chance.
TEST(LearnedSeeds, OfAllThreadsAreOneInThemAndInAForkedChild) {
  const TemporaryFolder scratch;
  const std::string scenario = "hashed_in_a_thread_and_a_child";
  const std::string given = native("srand", "value", "42").at(0);
  Environment of_threads = learned(scratch, "srand", scenario, " threads");
  EXPECT_EQ(under_seed("srand", scenario, "0", of_threads), (Lines{given, given, given}));
  of_threads["RANK"] = "1";
  const Lines of_another_process = under_seed("srand", scenario, "0", of_threads);
  EXPECT_EQ(distinct(of_another_process), 1U);
  EXPECT_NE(of_another_process.at(0), given);
  const TemporaryFolder other;
  const Environment own = learned(other, "srand", scenario);
  const Lines values = under_seed("srand", scenario, "0", own);
  EXPECT_EQ(distinct(values), 3U);
  EXPECT_EQ(values.back(), given) << "the first thread's";
}

TEST(LearnedSeeds, AreNotThoseOfAnotherUsersFile) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root may give a file away";
  const TemporaryFolder scratch, believed, refused;
  const Environment environment = learned(scratch, "srand", "hashed");
  const auto reasons = [&](const TemporaryFolder& folder) {
    run({SEEDING_PROGRAM, "srand", "hashed", "0"}, under_shim(folder, environment));
    std::set<std::string> seen;
    for (const ProcessLog& process : read_log(folder.log()))
      for (const auto& call : process.calls("srand"))
        seen.insert(call["why"].get<std::string>());
    return seen;
  };
  EXPECT_EQ(reasons(believed).count("learned_seed"), 1u);
  constexpr uid_t nobody = 65534;
  ASSERT_EQ(chown(environment.at("DETSHIM_LEARNED_SEEDS").c_str(), nobody, nobody), 0);
  EXPECT_EQ(reasons(refused).count("learned_seed"), 0u);
}

TEST(LearnedSeeds, AreToldByAFileThatCanBeRead) {
  const TemporaryFolder scratch;
  const Result result =
      run({SEEDING_PROGRAM, "srand", "value", "7"},
          under_shim(scratch, {{"DETSHIM_LEARNED_SEEDS", (scratch.path() / "none").string()}}));
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("DETSHIM_LEARNED_SEEDS"), std::string::npos) << result.err;
}

// ---- callers that no object holds

TEST(Seeds, MayBePassedByCodeThatACompilerMadeAtRunTime) {
  const TemporaryFolder scratch;
  const std::string program = (scratch.path() / "made").string();
  std::ofstream(program + ".cpp") << contents(PROGRAMS "seed_by_made_code.cpp");
  ASSERT_EQ(run({"g++", "-o", program, program + ".cpp"}).status, 0);
  const Result made = run({program}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(made.status, 0);
  EXPECT_EQ(run({program}, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out, made.out);
}

// ---- without a seed

TEST_P(Seeds, OfTheProgramStayAsTheyAreInRecord) {
  for (const char* scenario : {"values", "child"})
    EXPECT_EQ(under_seed(GetParam(), scenario, "1234", {}), native(GetParam(), scenario, "1234"))
        << scenario;
  // Natively four threads race for one state.
  EXPECT_EQ(under_seed(GetParam(), "divided", "4", {}), native(GetParam(), "divided", "1"));
}

TEST_P(Seeds, OfARecordedRunAreThoseOfTheLineThatItPrints) {
  const TemporaryFolder scratch;
  const Result first =
      run({SEEDING_PROGRAM, GetParam(), "seconds"}, under_shim(scratch, {{"DETSHIM_QUIET", "0"}}));
  const size_t at = first.err.find("DETSHIM_SEED=");
  ASSERT_NE(at, std::string::npos) << first.err;
  const std::string settings = first.err.substr(at, first.err.find('\n', at) - at);
  EXPECT_NE(settings.find("DETSHIM_MODE=record"), std::string::npos);
  const Result again =
      run({"sh", "-c", settings + " '" SEEDING_PROGRAM "' " + GetParam() + " seconds"},
          under_shim(scratch));
  EXPECT_EQ(again.out, first.out);
  EXPECT_NE(lines(again.out), under_seed(GetParam(), "seconds"));
}

// ---- what the log says

nlohmann::json seeding_call(const std::string& scenario, const std::string& number,
                            const Environment& more = {}) {
  const TemporaryFolder scratch;
  Environment environment = {{"DETSHIM_SEED", "42"}};
  for (const auto& [name, value] : more)
    environment[name] = value;
  run({SEEDING_PROGRAM, "srand", scenario, number},
      under_shim(scratch, with_random_addresses(scenario, environment)));
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls("srand"))
      return call;
  return {{"do", ""}, {"why", ""}};
}

std::string why(const std::string& scenario, const std::string& number,
                const Environment& more = {}) {
  const nlohmann::json call = seeding_call(scenario, number, more);
  return call["do"].get<std::string>() + ": " + call["why"].get<std::string>();
}

std::string rule(const std::string& scenario, const std::string& number,
                 const Environment& more = {}) {
  return seeding_call(scenario, number, more).value("rule", "none");
}

// With fixed addresses the stack ends at 2^47, and -1 lies near to it once it is cut; the program
// lies at 0x555555554000.
TEST(SeedsThatLookLikeAddresses, StayIfTheProgramFixesThem) {
  for (const char* number : {"4294967295", "4294967254", "4294962296", "1431655765"})
    for (const char* family : {"srand", "srandom", "srand48"})
      EXPECT_EQ(under_seed(family, "value", number), native(family, "value", number)) << number;
}

TEST(SeedsOfTheCommandLine, AreReadAsProgramsReadThem) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "seed.c") << contents(PROGRAMS "seed_of_an_argument.c");
  ASSERT_EQ(run({"gcc", "-w", "-o", "seed", "seed.c"}, {}, scratch.path()).status, 0);
  for (const char* number : {"987654321", "0xDEADBEEF", "0XC0FFEE", "01234567", "-12345678", "-1"})
    EXPECT_EQ(
        run({"./seed", number}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}), scratch.path()).out,
        run({"./seed", number}, {}, scratch.path()).out)
        << number;
}

/// Each look goes through the whole program: a call site that seeds a million times has only so
/// many.
TEST(SeedsOfAFile, AreLookedForUntilManyWereInNone) {
  const char* const scenario = "fixed_behind_computed";
  EXPECT_EQ(under_seed("srand", scenario, "60"), native("srand", scenario, "60"));
  EXPECT_NE(under_seed("srand", scenario, "70"), native("srand", scenario, "70"));
}

TEST(SeedsInTheLog, SayWhatTheyWere) {
  EXPECT_EQ(why("seconds", "0"), "pin: clock_seed");
  EXPECT_EQ(why("pid", "0"), "pin: id_seed");
  EXPECT_EQ(why("stack", "0"), "pin: address_seed");
  EXPECT_EQ(why("value", "1234567"), "pin: own_value");
  EXPECT_EQ(why("hashed", "0"), "pin: ordered_seed");
  EXPECT_EQ(why("hashed", "0", {{"RANK", "1"}}), "pin: unexplained_seed");
  EXPECT_EQ(why("seconds", "0", {{"DETSHIM_SEED_POLICY", "keep"}}),
            "nondeterministic: kept_by_policy");
}

TEST(SeedsInTheLog, NameTheRuleThatTold) {
  EXPECT_EQ(rule("seconds", "0"), "reading");
  EXPECT_EQ(rule("pid", "0"), "reading");
  EXPECT_EQ(rule("stack", "0"), "address");
  EXPECT_EQ(rule("value", "7"), "small_number");
  EXPECT_EQ(rule("value", "1234567"), "nothing_read");
  EXPECT_EQ(rule("value_after_clock", "1234567"), "user");
  EXPECT_EQ(rule("hashed", "0"), "order");
  EXPECT_EQ(rule("hashed", "0", {{"RANK", "1"}}), "none") << "no rule knows it";
  EXPECT_EQ(rule("fixed_in_caller", "0"), "in_file");
  EXPECT_EQ(rule("fixed_in_table", "0"), "in_file");
  EXPECT_EQ(rule("fixed_in_variable", "0"), "in_file");
  EXPECT_EQ(rule("seconds", "0", {{"DETSHIM_SEED_POLICY", "keep"}}), "reading");
}

} // namespace
