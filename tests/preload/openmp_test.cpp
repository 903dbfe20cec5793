// What races in an OpenMP program is given a fixed order or said, with its place; what does not
// race is not.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace {

struct Case {
  std::string construct;
  std::string recorded_by_gcc;   ///< the hook that records it; empty: none may
  std::string recorded_by_clang; ///< as it is without KMP_DETERMINISTIC_REDUCTION
  Environment environment = {};
};
void PrintTo(const Case& tested, std::ostream* stream) { *stream << tested.construct; }

/// Hooks of OpenMP that the run of the program recorded as nondeterministic or replaced, each with
/// its calls.
std::map<std::string, uint64_t> races(const std::string& program, const Case& tested,
                                      const Environment& more) {
  const TemporaryFolder scratch;
  Environment environment = under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"OMP_NUM_THREADS", "4"}});
  for (const Environment& added : {tested.environment, more})
    for (const auto& [name, value] : added)
      environment[name] = value;
  const Result result = run({program, tested.construct}, environment);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, run({program, tested.construct}, {{"OMP_NUM_THREADS", "4"}}).out);
  std::map<std::string, uint64_t> found;
  if (!std::filesystem::exists(scratch.log()))
    return found;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls()) {
      if (call["lib"] != "openmp" || (call["do"] != "nondeterministic" && call["do"] != "replace"))
        continue;
      EXPECT_EQ(call["do"] == "replace",
                call["why"] == "schedule_race" && !more.contains("DETSHIM_MODE"))
          << call;
      found[call["fn"]] += process.count(call);
      EXPECT_EQ(call["threads"], "4");
      EXPECT_NE(call["at"].get<std::string>().find(program), std::string::npos);
    }
  return found;
}

class OpenMp : public testing::TestWithParam<Case> {
public:
  static void expect(const std::string& program, const std::string& hook,
                     const Environment& more = {}) {
    const auto found = races(program, GetParam(), more);
    if (hook.empty()) {
      EXPECT_TRUE(found.empty()) << found.begin()->first;
      return;
    }
    EXPECT_EQ(found, (std::map<std::string, uint64_t>{{hook, 1}}));
    EXPECT_TRUE(races(program, GetParam(), {{"OMP_NUM_THREADS", "1"}}).empty())
        << "one thread cannot race";
    Environment disabled = more;
    disabled["DETSHIM_DISABLE"] = hook;
    EXPECT_TRUE(races(program, GetParam(), disabled).empty());
  }
};

TEST_P(OpenMp, OfGccIsRecordedWhereItRaces) {
  expect(OPENMP_GCC_PROGRAM, GetParam().recorded_by_gcc);
}

TEST_P(OpenMp, OfClangIsRecordedWhereItRaces) {
  if (!std::filesystem::exists(OPENMP_CLANG_PROGRAM))
    GTEST_SKIP() << "needs clang and libomp";
  expect(OPENMP_CLANG_PROGRAM, GetParam().recorded_by_clang,
         {{"DETSHIM_DISABLE", "env:KMP_DETERMINISTIC_REDUCTION"}});
}

const std::string dispatch = "__kmpc_dispatch_init_4";
INSTANTIATE_TEST_SUITE_P(
    All, OpenMp,
    testing::Values(
        Case{"static", "", ""},
        Case{"dynamic", "GOMP_parallel_loop_nonmonotonic_dynamic", dispatch},
        Case{"guided", "GOMP_parallel_loop_nonmonotonic_guided", dispatch},
        Case{"runtime",
             "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
             dispatch,
             {{"OMP_SCHEDULE", "dynamic"}}},
        Case{"runtime", "", "", {{"OMP_SCHEDULE", "static"}}},
        Case{"loop_in_region", "GOMP_loop_ull_nonmonotonic_dynamic_start",
             "__kmpc_dispatch_init_8u"},
        Case{"reduction", "GOMP_parallel", "__kmpc_reduce_nowait"},
        Case{"reductions", "GOMP_atomic_end", "__kmpc_reduce_nowait"},
        Case{"integer_reductions", "", "__kmpc_reduce_nowait"},
        Case{"own_reduction", "GOMP_atomic_end", "__kmpc_reduce_nowait"},
        Case{"extremes", "GOMP_atomic_end", "__kmpc_reduce_nowait"},
        Case{"inlined_reduction", "GOMP_atomic_end", "__kmpc_reduce_nowait"},
        Case{"reduction_in_region", "GOMP_parallel", "__kmpc_reduce"},
        Case{"unsigned", "GOMP_parallel_loop_nonmonotonic_dynamic", "__kmpc_dispatch_init_4u"},
        Case{"long", "GOMP_parallel_loop_nonmonotonic_dynamic", "__kmpc_dispatch_init_8"},
        Case{"count", "", "__kmpc_reduce_nowait"}),
    [](const auto& tested) {
      return tested.param.construct + std::to_string(tested.index);
    });

class OpenMpLoops : public testing::TestWithParam<std::string> {
public:
  void SetUp() override {
    if (!std::filesystem::exists(GetParam()))
      GTEST_SKIP() << "needs clang and libomp";
  }

  /// What it prints in that many runs, of four in which another thread is slow.
  static std::set<std::string> outputs(const std::string& construct, Environment environment,
                                       int runs) {
    environment["OMP_NUM_THREADS"] = "4";
    environment["OMP_SCHEDULE"] = "dynamic,2";
    std::set<std::string> found;
    for (int i = 0; i < runs; ++i)
      found.insert(run({GetParam(), construct, std::to_string(i % 4)}, environment).out);
    return found;
  }
};

TEST_P(OpenMpLoops, GoToTheSameThreadsInEachRun) {
  for (const std::string construct :
       {"who_dynamic", "who_guided", "who_monotonic", "who_runtime", "who_in_region"}) {
    const TemporaryFolder scratch;
    EXPECT_GT(outputs(construct, {}, 8).size(), 1u) << construct;
    for (const std::string mode : {"enforce", "strict"})
      EXPECT_EQ(outputs(construct,
                        under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", mode}}), 4)
                    .size(),
                1u)
          << construct;
    const Environment left =
        under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "openmp"}});
    EXPECT_GT(outputs(construct, left, 8).size(), 1u) << construct;
  }
}

// Which thread does what is a race, which no hook answers: noted, as threads are.
TEST_P(OpenMpLoops, OfSeveralThreadsAreNoted) {
  for (const std::string construct : {"sections", "single", "ordered", "doacross", "task"})
    for (const bool is_alone : {false, true}) {
      const TemporaryFolder scratch;
      const Environment environment =
          under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"OMP_NUM_THREADS", is_alone ? "1" : "4"}});
      EXPECT_EQ(run({GetParam(), "one_" + construct}, environment).status, 0);
      std::size_t noted = 0;
      const bool has_log = std::filesystem::exists(scratch.log());
      for (const ProcessLog& process :
           has_log ? read_log(scratch.log()) : std::vector<ProcessLog>{})
        for (const auto& record : process.records)
          noted += record["t"] == "threads";
      EXPECT_EQ(noted > 0, !is_alone) << construct;
    }
}

TEST_P(OpenMpLoops, LeaveWhatTheProgramHasChosen) {
  const TemporaryFolder scratch;
  Environment environment = under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"OMP_NUM_THREADS", "4"}});
  std::string chunks;
  for (int i = 0; i < 60; ++i)
    chunks += std::to_string(i / 3 % 4);
  EXPECT_EQ(run({GetParam(), "chosen"}, environment).out, "2 3\n" + chunks + '\n');
  EXPECT_EQ(run({GetParam(), "chosen"}, {{"OMP_NUM_THREADS", "4"}}).out.substr(0, 4), "2 3\n");
}

// Chunks of one iteration would cost a call for each, so a long loop goes in blocks of several.
TEST_P(OpenMpLoops, GoInBlocksWhereTheyAreLong) {
  const TemporaryFolder scratch;
  const Environment environment = under_shim(
      scratch, {{"DETSHIM_SEED", "42"}, {"OMP_NUM_THREADS", "4"}, {"OMP_SCHEDULE", "dynamic,2"}});
  const Result result = run({GetParam(), "blocks"}, environment);
  const std::vector<std::string> loops = lines(result.out);
  EXPECT_EQ(loops.size(), 9u);
  for (const std::string& loop : loops) {
    std::istringstream words(loop);
    std::string schedule, how;
    int changes = 0;
    words >> schedule >> changes;
    std::getline(words, how);
    EXPECT_EQ(how, " in chunks once") << loop;
    const int least = 4 * (schedule == "guided" ? 32 : 256);
    EXPECT_GE(changes, least - 1) << loop;
    EXPECT_LT(changes, 2 * least) << loop;
  }
  for (int again = 0; again < 3; ++again)
    EXPECT_EQ(run({GetParam(), "blocks"}, environment).out, result.out);
}

// What is advised where threads race (tools/support/reason_texts).
TEST_P(OpenMpLoops, DoNotRaceUnderALimitOfOneThread) {
  const auto recorded = [&](const std::string& variable, const std::string& threads) {
    const TemporaryFolder scratch;
    const Result result = run({GetParam(), "own_number"},
                              under_shim(scratch, {{"DETSHIM_SEED", "42"}, {variable, "1"}}));
    EXPECT_EQ(result.out, threads + "\n") << variable;
    std::set<std::string> types;
    if (!std::filesystem::exists(scratch.log()))
      return types;
    for (const ProcessLog& process : read_log(scratch.log()))
      for (const auto& record : process.records)
        if (record["t"] == "threads" || record["t"] == "call")
          types.insert(record["t"]);
    return types;
  };
  EXPECT_EQ(recorded("OMP_NUM_THREADS", "7"), (std::set<std::string>{"call", "threads"}));
  EXPECT_EQ(recorded("OMP_THREAD_LIMIT", "2"), std::set<std::string>{});
}

TEST_P(OpenMpLoops, DoEachIterationOnce) {
  const std::set<std::string> native = outputs("all_iterations", {}, 2);
  EXPECT_EQ(native.size(), 1u);
  for (const std::string disabled :
       {"", "GOMP_loop_nonmonotonic_dynamic_next", "GOMP_parallel_loop_nonmonotonic_dynamic"}) {
    const TemporaryFolder scratch;
    EXPECT_EQ(outputs("all_iterations",
                      under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", disabled}}),
                      3),
              native)
        << disabled;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpenMpLoops,
                         testing::Values(OPENMP_GCC_PROGRAM, OPENMP_CLANG_PROGRAM),
                         [](const auto& tested) {
                           return tested.index == 0 ? "gcc" : "clang";
                         });

// Older gccs compile to other entries, and clauses such as monotonic do.
TEST(OpenMpEntries, OfGccAreAllRecorded) {
  const std::vector<std::string> entries = lines(run({OPENMP_ENTRIES_PROGRAM}).out);
  EXPECT_EQ(entries.size(), 21u);
  for (const std::string& entry : entries) {
    const Case tested{entry, entry, ""};
    EXPECT_EQ(run({OPENMP_ENTRIES_PROGRAM, entry}, {{"OMP_SCHEDULE", "dynamic"}}).out, "100\n");
    EXPECT_EQ(races(OPENMP_ENTRIES_PROGRAM, tested, {{"OMP_SCHEDULE", "dynamic"}}),
              (std::map<std::string, uint64_t>{{entry, 1}}));
    const bool is_runtime = entry.find("runtime") != std::string::npos;
    EXPECT_EQ(races(OPENMP_ENTRIES_PROGRAM, tested, {{"OMP_SCHEDULE", "static"}}).size(),
              is_runtime ? 0u : 1u);
  }
}

TEST(OpenMpTaskReduction, OfGccIsRecorded) {
  const Case tasks{"task_reduction", "GOMP_parallel_reductions", ""};
  EXPECT_EQ(races(OPENMP_GCC_PROGRAM, tasks, {}),
            (std::map<std::string, uint64_t>{{"GOMP_parallel_reductions", 1}}));
}

// One thread adds in one order.
TEST(OpenMpReduction, OfGccHasOneThreadInStrict) {
  const TemporaryFolder scratch;
  const Environment strict = under_shim(
      scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}, {"OMP_NUM_THREADS", "4"}});
  EXPECT_EQ(run({OPENMP_GCC_PROGRAM, "threads_of_sum"}, {{"OMP_NUM_THREADS", "4"}}).out, "4.000\n");
  EXPECT_EQ(run({OPENMP_GCC_PROGRAM, "threads_of_sum"}, strict).out, "1.000\n");
  const auto call = read_log(scratch.log()).front().calls().front();
  EXPECT_EQ(call["do"], "replace");
  EXPECT_EQ(call["why"], "addition_race");
  EXPECT_EQ(run({OPENMP_GCC_PROGRAM, "threads_of_free_sum"}, {{"OMP_NUM_THREADS", "4"}}).out,
            "4.000\n");
  EXPECT_EQ(run({OPENMP_GCC_PROGRAM, "threads_of_free_sum"}, strict).out, "1.000\n");
}

TEST(OpenMpAtomic, OfGccIsRecorded) {
  const Case atomic{"atomic", "GOMP_parallel", ""};
  EXPECT_EQ(races(OPENMP_GCC_PROGRAM, atomic, {}),
            (std::map<std::string, uint64_t>{{"GOMP_parallel", 1}}));
  // A fixed order of iterations does not fix that of the threads.
  const TemporaryFolder scratch;
  run({OPENMP_GCC_PROGRAM, "free_atomic"},
      under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"OMP_NUM_THREADS", "4"}}));
  std::set<std::string> recorded;
  for (const auto& call : read_log(scratch.log()).front().calls())
    recorded.insert(call["do"].get<std::string>() + ' ' + call["why"].get<std::string>());
  EXPECT_EQ(recorded,
            (std::set<std::string>{"nondeterministic addition_race", "replace schedule_race"}));
}

class OpenMpSettings : public testing::TestWithParam<std::string> {
public:
  void SetUp() override {
    if (!std::filesystem::exists(GetParam()))
      GTEST_SKIP() << "needs clang and libomp";
  }
};

TEST_P(OpenMpSettings, KeepTheNumberOfThreadsFromFollowingTheLoad) {
  const TemporaryFolder scratch;
  const Environment shim = under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"OMP_DYNAMIC", "TRUE"}});
  EXPECT_EQ(run({GetParam(), "get_dynamic"}, {{"OMP_DYNAMIC", "TRUE"}}).out, "1\n");
  EXPECT_EQ(run({GetParam(), "get_dynamic"}, shim).out, "0\n");
  EXPECT_EQ(run({GetParam(), "set_dynamic"}, shim).out, "0\n");
  Environment off = shim;
  off["DETSHIM_DISABLE"] = "env:OMP_DYNAMIC,omp_set_dynamic";
  EXPECT_EQ(run({GetParam(), "get_dynamic"}, off).out, "1\n");
  EXPECT_EQ(run({GetParam(), "set_dynamic"}, off).out, "1\n");
}

INSTANTIATE_TEST_SUITE_P(All, OpenMpSettings,
                         testing::Values(OPENMP_GCC_PROGRAM, OPENMP_CLANG_PROGRAM),
                         [](const auto& tested) {
                           return tested.index == 0 ? "gcc" : "clang";
                         });

TEST(OpenMpReduction, OfClangIsCombinedAlongATree) {
  if (!std::filesystem::exists(OPENMP_CLANG_PROGRAM))
    GTEST_SKIP() << "needs clang and libomp";
  const Case reduction{"reduction", "", ""};
  EXPECT_TRUE(races(OPENMP_CLANG_PROGRAM, reduction, {}).empty());
  // The user's own value stays where it is good, and is replaced where it is not.
  EXPECT_TRUE(
      races(OPENMP_CLANG_PROGRAM, reduction, {{"KMP_DETERMINISTIC_REDUCTION", "yes"}}).empty());
  EXPECT_TRUE(
      races(OPENMP_CLANG_PROGRAM, reduction, {{"KMP_DETERMINISTIC_REDUCTION", "FALSE"}}).empty());
  const Environment record_mode = {{"DETSHIM_MODE", "record"}};
  EXPECT_EQ(races(OPENMP_CLANG_PROGRAM, reduction, record_mode).size(), 1u)
      << "algorithms are left alone there";
}

// Inside a region the program asks its own runtime, which is not hooked: a region that another one
// made has one thread there.
TEST(OpenMpRuntimes, InOneProcessServeTheirOwnUsers) {
  if (!std::filesystem::exists(OPENMP_TEAM_OF_OTHER))
    GTEST_SKIP() << "needs libomp";
  const TemporaryFolder scratch;
  for (const char* mode : {"enforce", "observe", "off"})
    for (const std::vector<std::string>& order :
         {std::vector<std::string>{OPENMP_COPIES_PROGRAM, OPENMP_TEAM, OPENMP_TEAM_OF_OTHER},
          std::vector<std::string>{OPENMP_COPIES_PROGRAM, OPENMP_TEAM_OF_OTHER, OPENMP_TEAM}}) {
      EXPECT_EQ(run(order).out, "4\n4\n4\n4\n");
      EXPECT_EQ(
          run(order, under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", mode}})).out,
          "4\n4\n4\n4\n");
    }
}

} // namespace
