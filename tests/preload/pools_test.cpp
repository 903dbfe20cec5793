// Python's pools: tasks go to workers, and results come, in turn, so that a program repeats
// whatever its tasks draw from a worker's generators and keep in its memory. What is left to a race
// is said.
#include "log_files.h"
#include "report/verdict_texts.h"
#include "run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace {

/// Tasks of unequal length, that differ in each run, draw, and count what their worker did before.
const std::string tasks = contents(PROGRAMS "pool_tasks.py");

struct Observed {
  Result result;
  std::set<std::string> kinds;    ///< of the verdict's reasons
  std::set<std::string> pools;    ///< what those say that are about pools
  std::set<std::string> recorded; ///< "function why" of what was recorded of pools
  std::string reasons;
};

/// One run of the program whose last lines those are.
Observed observe(const std::string& code, const Environment& more = {},
                 const std::string& python = "python3") {
  const TemporaryFolder scratch;
  const std::string file = (scratch.path() / "t.py").string();
  std::ofstream(file) << tasks << code;
  Environment environment = under_shim(scratch, {{"DETSHIM_SEED", "42"}});
  for (const auto& [name, value] : more)
    environment[name] = value;
  Observed seen;
  seen.result = run({python, file}, environment);
  EXPECT_EQ(seen.result.status, 0) << seen.result.err;
  for (const ProcessLog& log : read_log(scratch.log()))
    for (const auto& call : log.calls())
      for (const char* why :
           {"tasks_dealt", "packages_tasks_dealt", "task_race", "batches_by_time"})
        if (call["why"] == why)
          seen.recorded.insert(call["fn"].get<std::string>() + " " + why);
  const auto document = nlohmann::json::parse(
      run({DETSHIM_COMMAND, "log", scratch.log().string(), "--json", "--no-scan"}).out);
  for (const auto& reason : document["reasons"]) {
    seen.kinds.insert(reason["kind"]);
    if (reason["kind"] == "pool")
      seen.pools.insert(reason["text"]);
  }
  for (const char* others :
       {"not_decoded", "clock", "input", "no_end"}) // a server may outlive the program
    seen.kinds.erase(others);
  seen.reasons = document["reasons"].dump();
  return seen;
}

std::string out_of(const std::string& code) {
  const TemporaryFolder scratch;
  const std::string file = (scratch.path() / "t.py").string();
  std::ofstream(file) << tasks << code;
  return run({"python3", file}).out;
}

/// How a pool is made and asked, which stands behind the tasks.
std::string way(const std::string& name) { return section(PROGRAMS "deals_tasks.py", name); }

struct Case {
  std::string name;
  std::string place = "t.py:12"; ///< the line that makes the pool: the first behind the tasks
};
void PrintTo(const Case& tested, std::ostream* stream) { *stream << tested.name; }
class DealtPools : public testing::TestWithParam<Case> {};

TEST_P(DealtPools, Repeat) {
  const std::string code = way(GetParam().name);
  const std::string in_turn =
      detshim::reason_text({.finding = detshim::Finding::tasks_in_turn, .place = GetParam().place});
  std::set<std::string> native, dealt;
  for (int i = 0; i < 3; ++i)
    native.insert(out_of(code));
  EXPECT_GT(native.size(), 1U);
  for (int i = 0; i < 4; ++i) {
    const Observed seen = observe(code);
    dealt.insert(seen.result.out);
    EXPECT_EQ(seen.kinds, std::set<std::string>{"pool"}) << seen.reasons;
    EXPECT_EQ(seen.pools, std::set<std::string>{in_turn}) << seen.reasons;
    EXPECT_EQ(seen.recorded, std::set<std::string>{"pthread_create tasks_dealt"});
  }
  EXPECT_EQ(dealt.size(), 1U) << *dealt.begin();
  const Observed left = observe(code, {{"DETSHIM_MODE", "record"}});
  EXPECT_TRUE(left.kinds.contains("pool")) << left.reasons;
  EXPECT_EQ(left.recorded, std::set<std::string>{"pthread_create task_race"});
}

INSTANTIATE_TEST_SUITE_P(All, DealtPools,
                         testing::Values(Case{"fork"}, Case{"spawn"}, Case{"forkserver"},
                                         Case{"unordered"}, Case{"callbacks", "t.py:13"},
                                         Case{"executor"}, Case{"two_pools"}),
                         [](const auto& tested) {
                           return tested.param.name;
                         });

// Loky is joblib's, which also sizes its batches by a clock.
TEST(DealtPools, OfJoblibRepeat) {
  const char* const named = std::getenv("DETSHIM_TEST_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  if (run({python, "-c", "import joblib"}).status != 0)
    GTEST_SKIP() << "not installed: joblib";
  const std::string code = way("joblib");
  std::set<std::string> dealt;
  for (int i = 0; i < 4; ++i)
    dealt.insert(observe(code, {}, python).result.out);
  EXPECT_EQ(dealt.size(), 1U);
  const Observed seen = observe(code, {}, python);
  EXPECT_TRUE(seen.recorded.contains("clock_gettime batches_by_time"));
}

/// dill's `multiprocess`, which is Python's own multiprocessing under another name.
std::string make_multiprocess(const TemporaryFolder& scratch) {
  const std::string packages = scratch.path() / "site-packages";
  EXPECT_EQ(run({"python3", PROGRAMS "copies_multiprocessing.py", packages}).status, 0);
  return packages;
}

TEST(DealtPools, OfDillsMultiprocessRepeat) {
  const TemporaryFolder scratch;
  const Environment has_it{{"PYTHONPATH", make_multiprocess(scratch)}};
  const std::string code = way("multiprocess");
  std::set<std::string> dealt;
  for (int i = 0; i < 4; ++i) {
    const Observed seen = observe(code, has_it);
    dealt.insert(seen.result.out);
    EXPECT_EQ(seen.recorded, std::set<std::string>{"pthread_create tasks_dealt"});
  }
  EXPECT_EQ(dealt.size(), 1U) << *dealt.begin();
}

// Its authors know what its tasks share.
TEST(DealtPools, OfAPackageAreNoReason) {
  const std::string code = contents(PROGRAMS "pool_of_a_package.py");
  const Observed seen = observe(code);
  EXPECT_EQ(seen.kinds, std::set<std::string>{}) << seen.reasons;
  EXPECT_EQ(seen.recorded, std::set<std::string>{"pthread_create packages_tasks_dealt"});
  EXPECT_EQ(observe(code).result.out, seen.result.out);
  EXPECT_TRUE(observe(code, {{"DETSHIM_MODE", "record"}}).kinds.contains("pool"));
}

// Workers that come and go have no turns; nobody waits for ever.
TEST(DealtPools, WhoseWorkersChangeAreLeftAlone) {
  const Observed dead = observe(way("a_worker_dies"));
  EXPECT_EQ(dead.result.out, "12\n");
  EXPECT_TRUE(dead.kinds.contains("nondeterministic")) << dead.reasons;
  for (const char* name : {"workers_come_and_go", "spawned_executor"}) {
    const Observed seen = observe(way(name));
    EXPECT_EQ(seen.result.out, "12\n");
    EXPECT_TRUE(seen.kinds.contains("pool")) << seen.reasons;
    EXPECT_EQ(seen.recorded, std::set<std::string>{"pthread_create task_race"});
  }
}

// A signal's handler runs while a worker waits for its turn.
TEST(DealtPools, WaitsEndBySignals) {
  const Observed seen = observe(way("signals"));
  EXPECT_EQ(seen.result.out, "24\n");
}

} // namespace
