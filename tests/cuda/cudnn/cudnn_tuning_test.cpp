// cuDNN's timed searches under recorded tuning, with a double.
#include "cudnn_test.h"
#include "tuning_test.h"

#include <cstdio>

namespace {

class CudnnTuning : public TuningTest {
protected:
  void SetUp() override { use("find_algorithms"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnTuning, both_ways, name_of_way);

const Environment off{{"DETSHIM_AUTOTUNE", "off"}};

/// What a search of one convolution is called, with room for every algorithm.
Arguments search(const std::string& name, const std::string& pass,
                 const std::string& workspace = "10000000") {
  return {name, pass, "16", workspace};
}

std::string symbol(const std::string& name, const std::string& pass) {
  return std::string{"cudnnFindConvolution"} +
         (pass == "forward" ? "Forward"
          : pass == "data"  ? "BackwardData"
                            : "BackwardFilter") +
         "Algorithm" + (name == "findex" ? "Ex" : "");
}

/// Algorithms with their math types, in the order of an answer: "1/0".
Lines ranking(const Lines& out) {
  Lines result;
  for (const std::string& entry : configs(out)) {
    int algo = -1, math = -1;
    std::sscanf(entry.c_str(), "algo=%d status=0 determinism=1 memory=%*d math=%d", &algo, &math);
    result.push_back(std::to_string(algo) + "/" + std::to_string(math));
  }
  return result;
}

TEST_P(CudnnTuning, TheTimedOrderIsGivenAgainWithoutTiming) {
  for (const std::string name : {"find", "findex"}) {
    for (const std::string& pass : passes) {
      SCOPED_TRACE(name + " " + pass);
      std::filesystem::remove(file_);
      // The one that the heuristic ranks last.
      const std::string best = pass == "forward" ? "4" : pass == "data" ? "5" : "6";
      const auto recorded = shimmed(search(name, pass), recording() + fastest(best));
      EXPECT_TRUE(contains(calls(), symbol(name, pass))) << "timed by the library";
      EXPECT_TRUE(recorded.did("unfixed", symbol(name, pass))) << recorded;
      const Lines order = ranking(recorded.out);
      ASSERT_EQ(order.front(), best + "/0") << recorded;
      EXPECT_FALSE(contains(recorded.out, "determinism=0")) << recorded;
      // The heuristic has another order, and timing another one each time.
      EXPECT_NE(ranking(shimmed(search(name, pass)).out), order);
      for (int i = 0; i < 3; ++i) {
        const auto replayed = shimmed(search(name, pass), replaying() + fastest("1"));
        EXPECT_EQ(ranking(replayed.out), order) << replayed;
        EXPECT_TRUE(replayed.did("replace", symbol(name, pass))) << replayed;
        EXPECT_FALSE(contains(calls(), "cudnnFind")) << "nothing is timed";
      }
    }
  }
}

TEST_P(CudnnTuning, TheFileNamesTheProblem) {
  shimmed(search("find", "forward"), recording() + fastest("7"));
  ASSERT_EQ(choices().size(), 1U) << text();
  const auto choice = choices()[0];
  EXPECT_EQ(choice["device"], "Double A");
  EXPECT_EQ(choice["library"], "cudnn");
  EXPECT_EQ(choice["version"], "91900");
  EXPECT_EQ(choice["operation"], "convolution Forward");
  EXPECT_EQ(choice["problem"], "tensor 2 size 8 64 56 56 stride 200704 3136 56 1 "
                               "filter 2 layout 0 size 64 64 3 3 "
                               "convolution 0 mode 1 pad 1 1 stride 2 2 dilation 1 1 math 1 groups 1 "
                               "tensor 2 size 8 64 56 56 stride 200704 3136 56 1");
  EXPECT_TRUE(choice["choice"].get<std::string>().starts_with("algo 7 math 0, algo ")) << choice;
}

TEST_P(CudnnTuning, EachProblemHasItsOwnOrder) {
  const Environment larger{{"DOUBLE_SHAPE", "16"}};
  shimmed(search("find", "data"), recording() + fastest("5"));
  shimmed(search("find", "data"), recording() + fastest("4") + larger);
  shimmed(search("find", "filter"), recording() + fastest("6"));
  EXPECT_EQ(choices().size(), 3U) << text();
  EXPECT_EQ(ranking(shimmed(search("find", "data"), replaying()).out).front(), "5/0");
  EXPECT_EQ(ranking(shimmed(search("find", "data"), replaying() + larger).out).front(), "4/0");
  EXPECT_EQ(ranking(shimmed(search("find", "filter"), replaying()).out).front(), "6/0");
}

TEST_P(CudnnTuning, WhatDoesNotFitTheWorkspaceIsLeftOut) {
  shimmed(search("findex", "filter"), recording() + fastest("5")); // ALGO_5 wants 512 KiB
  const auto narrow = shimmed(search("findex", "filter", "65536"), replaying());
  EXPECT_EQ(ranking(narrow.out).size(), 2U) << narrow;
  EXPECT_FALSE(contains(narrow.out, "algo=5 ")) << narrow;
}

TEST_P(CudnnTuning, WhatIsNotKeptIsAnsweredByTheHeuristic) {
  const std::string function = symbol("find", "forward");
  shimmed(search("find", "forward"), recording() + fastest("7"));
  const Environment other{{"DOUBLE_SHAPE", "32"}};
  const auto missing = shimmed(search("find", "forward"), replaying() + other);
  EXPECT_EQ(missing.out, shimmed(search("find", "forward")).out);
  EXPECT_EQ(values(missing, function, "why"), std::set<std::string>{"not_in_tuning_file"});
  const auto dropped = shimmed(search("find", "forward"), replaying() + misbehaving("renumbered"));
  EXPECT_EQ(dropped.out, shimmed(search("find", "forward"), enforce + misbehaving("renumbered")).out);
  EXPECT_EQ(values(dropped, function, "why"), std::set<std::string>{"kept_choice_not_offered"});
}

TEST_P(CudnnTuning, AProblemThatCannotBeReadIsNotKept) {
  const auto recorded = shimmed(search("find", "forward"), recording() + misbehaving("no_shape"));
  EXPECT_EQ(text(), "");
  EXPECT_EQ(values(recorded, symbol("find", "forward"), "why"), std::set<std::string>{"tuning_cannot_keep"});
}

TEST_P(CudnnTuning, ALibraryWithoutAHeuristicServes) {
  set_doubles({"old", "doubles"});
  const Lines order = ranking(shimmed(search("find", "filter"), recording() + fastest("6")).out);
  EXPECT_EQ(order.front(), "6/0");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ranking(shimmed(search("find", "filter"), replaying()).out), order);
}

TEST_P(CudnnTuning, OffLeavesTheTimedOrderOfDeterministicAlgorithms) {
  std::set<Lines> orders;
  for (int i = 0; i < 6; ++i) {
    const auto run = shimmed(search("find", "filter"), enforce + off);
    EXPECT_FALSE(contains(run.out, "determinism=0")) << run;
    EXPECT_TRUE(run.did("unfixed", symbol("find", "filter"))) << run;
    orders.insert(ranking(run.out));
  }
  EXPECT_GT(orders.size(), 1U);
}

TEST_P(CudnnTuning, ModesThatChangeNothingKeepButDoNotReplay) {
  for (const std::string mode : {"observe", "record"}) {
    const Environment watching{{"DETSHIM_MODE", mode}};
    std::filesystem::remove(file_);
    shimmed(search("find", "data"), recording() + watching + fastest("5"));
    EXPECT_EQ(ranking(shimmed(search("find", "data"), replaying()).out).front(), "5/0");
    EXPECT_TRUE(contains(calls(), "cudnnGet"));
    const auto watched = shimmed(search("find", "data"), replaying() + watching);
    EXPECT_FALSE(contains(calls(), "cudnnGet")) << "answered by the library's own search";
    EXPECT_TRUE(watched.did("unfixed", symbol("find", "data"))) << watched;
  }
}

TEST_P(CudnnTuning, AFileOfAnotherDeviceIsRefused) {
  shimmed(search("find", "forward"), recording());
  const Environment other{{"DOUBLE_DEVICE", "Double B"}};
  refused(search("find", "forward"), replaying() + other, "is from the device \"Double A\"");
  refused(search("find", "forward"), recording() + other, "is from the device \"Double A\"");
}

} // namespace
