// Plans of cuDNN's operation graphs under recorded tuning, with a double.
#include "tuning_test.h"

namespace {

class CudnnGraphTuning : public TuningTest {
protected:
  void SetUp() override { use("cudnn_execute", {"backend"}); }

  static Environment engines(const std::string& list) { return {{"DOUBLE_ENGINES", list}}; }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnGraphTuning, both_ways, name_of_way);

const std::string query = "cudnnBackendGetAttribute", finalize = "cudnnBackendFinalize";

TEST_P(CudnnGraphTuning, TheFastestPlanIsGivenAgainWithoutTiming) {
  for (const std::string best : {"1", "2", "3"}) {
    std::filesystem::remove(file_);
    const auto recorded = shimmed({"time"}, recording() + fastest(best));
    EXPECT_EQ(recorded.out, Lines{"chosen " + best}) << recorded;
    EXPECT_TRUE(recorded.did("nondeterministic", finalize)) << recorded;
    EXPECT_FALSE(contains(calls(), "engine=9")) << "nondeterministic";
    // The list comes in another order, and another engine is the fastest by now.
    for (const std::string order : {"1,9,2,3", "9,3,1,2", "2,3,1,9", "3,2,1"}) {
      const auto replayed =
          shimmed({"time"}, replaying() + fastest(best == "1" ? "2" : "1") + engines(order));
      EXPECT_EQ(replayed.out, Lines{"chosen " + best}) << replayed;
      EXPECT_TRUE(replayed.did("replace", query)) << replayed;
      for (const std::string other : {"1", "2", "3"})
        EXPECT_EQ(contains(calls(), "cudnnBackendExecute engine=" + other), other == best)
            << "nothing is timed";
    }
  }
}

TEST_P(CudnnGraphTuning, TheKeptEngineComesFirstAndTheOthersKeepTheirOrder) {
  shimmed({"time"}, recording() + fastest("3"));
  EXPECT_EQ(shimmed({"list"}).out, Lines{"list: 0 1 2 3"});
  EXPECT_EQ(shimmed({"list"}, replaying()).out, Lines{"list: 0 3 1 2"});
  EXPECT_EQ(shimmed({"list"}, replaying() + engines("2,3,1")).out, Lines{"list: 0 3 2 1"});
  EXPECT_EQ(shimmed({"list"}, replaying() + engines("3,2,9")).out, Lines{"list: 0 3 2"});
  // With a hook off, that part is as it was.
  EXPECT_EQ(shimmed({"list"}, replaying() + Environment{{"DETSHIM_DISABLE", query}}).out,
            Lines{"list: 0 1 9 2 3"});
}

TEST_P(CudnnGraphTuning, NoOtherPlanIsLetInBeforeTheKeptOne) {
  shimmed({"time"}, recording() + fastest("3"));
  EXPECT_EQ(shimmed({"list", "plan=1", "plan=3", "plan=2"}, replaying()).out,
            (Lines{"list: 0 3 1 2", "plan 1: 3000", "plan 3: 0", "plan 2: 0 as 3"}));
  // One that fails lets the others in.
  const Environment fails = misbehaving("engine 0 fails");
  std::filesystem::remove(file_);
  shimmed({"time"}, recording() + engines("1,0") + fastest("0"));
  EXPECT_EQ(
      shimmed({"list", "plan=1", "plan=0", "run", "plan=1", "run"},
              replaying() + engines("1,0") + fails)
          .out,
      (Lines{"list: 0 0 1", "plan 1: 3000", "plan 0: 0", "run: 5000", "plan 1: 0", "run: 0"}));
}

// It has reasons of its own not to take it, and must not be left without any.
TEST_P(CudnnGraphTuning, AProgramThatLeavesOutTheKeptPlanGetsAnother) {
  shimmed({"time"}, recording() + fastest("3"));
  for (const auto& [program, expected] :
       {std::pair<Arguments, Lines>{{"list", "plan=1", "plan=2", "plan=1"},
                                    {"list: 0 3 1 2", "plan 1: 3000", "plan 2: 3000", "plan 1: 0"}},
        {{"list", "plan=1", "plan=2", "plan=5", "plan=6"},
         {"list: 0 3 1 2", "plan 1: 3000", "plan 2: 3000", "plan 5: 3000", "plan 6: 0"}}}) {
    const auto left = shimmed(program, replaying());
    EXPECT_EQ(left.out, expected);
    EXPECT_TRUE(left.did("nondeterministic", finalize)) << left;
  }
}

TEST_P(CudnnGraphTuning, TheFileNamesTheProblem) {
  shimmed({"matmuls=2", "time"}, recording() + fastest("2"));
  ASSERT_EQ(choices().size(), 1U) << text();
  const auto choice = choices()[0];
  EXPECT_EQ(choice["device"], "Double A");
  EXPECT_EQ(choice["library"], "cudnn");
  EXPECT_EQ(choice["version"], "91900");
  EXPECT_EQ(choice["operation"], "graph");
  EXPECT_TRUE(choice["problem"].get<std::string>().starts_with("matmul; matmul #")) << choice;
  EXPECT_EQ(choice["choice"], "engine 2");
}

TEST_P(CudnnGraphTuning, EachGraphHasItsOwnChoice) {
  shimmed({"time"}, recording() + fastest("3"));
  shimmed({"matmuls=2", "time"}, recording() + fastest("2"));
  shimmed({"matmuls=3", "time"}, recording() + fastest("1"));
  EXPECT_EQ(choices().size(), 3U) << text();
  EXPECT_EQ(shimmed({"time", "matmuls=2", "time", "matmuls=3", "time"}, replaying()).out,
            (Lines{"chosen 3", "chosen 2", "chosen 1"}));
}

TEST_P(CudnnGraphTuning, WhatIsNotKeptIsTheFirst) {
  shimmed({"time"}, recording() + fastest("3"));
  const auto missing = shimmed({"matmuls=2", "time"}, replaying() + fastest("2"));
  EXPECT_EQ(missing.out, Lines{"chosen 1"});
  EXPECT_TRUE(values(missing, query, "why").contains("not_in_tuning_file")) << missing;
  const auto dropped = shimmed({"time"}, replaying() + engines("2,1") + fastest("1"));
  EXPECT_EQ(dropped.out, Lines{"chosen 2"});
  EXPECT_TRUE(values(dropped, query, "why").contains("kept_choice_not_offered")) << dropped;
}

// A program without a search of its own is led to the kept plan, too.
TEST_P(CudnnGraphTuning, ModesThatChangeNothingKeepButDoNotReplay) {
  for (const std::string mode : {"observe", "record"}) {
    const Environment watching{{"DETSHIM_MODE", mode}};
    std::filesystem::remove(file_);
    shimmed({"time"}, recording() + watching + fastest("2"));
    EXPECT_EQ(shimmed({"time"}, replaying()).out, Lines{"chosen 2"});
    for (const Environment& search :
         {replaying(), enforce + Environment{{"DETSHIM_AUTOTUNE", "first"}}}) {
      const auto watched = shimmed({"time"}, search + watching + fastest("3"));
      EXPECT_EQ(watched.out, Lines{"chosen 3"});
      EXPECT_TRUE(watched.did("nondeterministic", finalize)) << "the program chose by time";
    }
  }
}

TEST_P(CudnnGraphTuning, ANondeterministicChoiceIsNotReplayed) {
  shimmed({"time"}, recording() + Environment{{"DETSHIM_MODE", "observe"}} + fastest("9"));
  const auto replayed = shimmed({"time"}, replaying());
  EXPECT_EQ(replayed.out, Lines{"chosen 1"});
  EXPECT_TRUE(values(replayed, query, "why").contains("kept_choice_nondeterministic")) << replayed;
}

TEST_P(CudnnGraphTuning, AFileOfAnotherDeviceOrVersionIsRefused) {
  shimmed({"time"}, recording());
  const Environment other{{"DOUBLE_DEVICE", "Double B"}}, older{{"DOUBLE_CUDNN_VERSION", "91800"}};
  refused({"time"}, replaying() + other, "is from the device \"Double A\"");
  refused({"time"}, recording() + other, "is from the device \"Double A\"");
  refused({"time"}, replaying() + older, "is from cudnn 91900; accepted is one from 91800");
}

} // namespace
