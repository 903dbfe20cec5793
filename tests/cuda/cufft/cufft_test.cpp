// cuFFT, with a double.
#include "cuda_test.h"

namespace {

class Cufft : public CudaTest {
protected:
  void SetUp() override { use("transforms"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Cufft, both_ways, name_of_way);

TEST_P(Cufft, NothingIsChanged) {
  for (const std::string misbehaviour : {"", "fail", "fail_later"}) {
    const Environment how = misbehaving(misbehaviour);
    const Lines expected = native({"2"}, how);
    const Lines expected_calls = calls();
    EXPECT_TRUE(contains(expected_calls, "cufftPlanMany 1 5 5 2 3 5 4 6 41 7"));
    for (const Environment& mode : {enforce, strict, record, observe}) {
      EXPECT_EQ(shimmed({"2"}, mode + how).out, expected);
      EXPECT_EQ(calls(), expected_calls);
    }
  }
}

TEST_P(Cufft, CodeOfTheProgramInATransformIsRecorded) {
  for (const std::string function : {"cufftXtSetCallback", "cufftXtSetJITCallback"}) {
    for (const Environment& mode : {enforce, strict, record, observe}) {
      const auto recorded = shimmed({"2"}, mode);
      EXPECT_TRUE(recorded.did("observe", function)) << recorded;
    }
    const auto without = shimmed({"2"}, disabled(function));
    EXPECT_FALSE(without.recorded(function)) << without;
  }
}

/// What is bound and not called is no reason: PyTorch is bound to all of them.
TEST_P(Cufft, TransformsAreAReasonWhereTheyAreCalled) {
  for (const std::string function :
       {"cufftExecC2C", "cufftExecZ2Z", "cufftExecR2C", "cufftExecD2Z", "cufftExecC2R",
        "cufftExecZ2D", "cufftXtExec", "cufftXtExecDescriptor", "cufftXtExecDescriptorC2C",
        "cufftXtExecDescriptorZ2Z", "cufftXtExecDescriptorR2C", "cufftXtExecDescriptorD2Z",
        "cufftXtExecDescriptorC2R", "cufftXtExecDescriptorZ2D"}) {
    const auto recorded = shimmed({"1", "transform"}, enforce);
    EXPECT_TRUE(recorded.did("observe", function)) << recorded;
    const auto without = shimmed({"1", "transform"}, disabled(function));
    EXPECT_FALSE(without.recorded(function)) << without;
  }
  const auto expected = native({"1", "transform"});
  const Lines expected_calls = calls();
  EXPECT_EQ(shimmed({"1", "transform"}, strict).out, expected);
  EXPECT_EQ(calls(), expected_calls);
}

TEST_P(Cufft, SeveralGpusAreRecorded) {
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto recorded = shimmed({"2"}, mode);
    EXPECT_TRUE(recorded.did("nondeterministic", "cufftXtSetGPUs")) << recorded;
    const auto one = shimmed({"1"}, mode);
    EXPECT_FALSE(one.did("nondeterministic", "cufftXtSetGPUs")) << one;
  }
  const auto without = shimmed({"2"}, disabled("cufftXtSetGPUs"));
  EXPECT_FALSE(without.recorded("cufftXtSetGPUs")) << without;
}

TEST_P(Cufft, WhatWasRefusedIsNotRecorded) {
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto refused = shimmed({"2"}, mode + misbehaving("fail_later"));
    for (const char* function : {"cufftXtSetCallback", "cufftXtSetJITCallback", "cufftXtSetGPUs"})
      EXPECT_FALSE(refused.recorded(function)) << refused;
  }
}

// By whichever function the program reaches it first.
TEST_P(Cufft, TheLibraryIsNamed) {
  const auto is_named = [](const Shimmed& run) {
    return std::ranges::any_of(run.records, [](const nlohmann::json& record) {
      return record["t"] == "library" && record["lib"] == "cufft" && record["version"] == "12000";
    });
  };
  const std::string plans[] = {"cufftCreate", "cufftPlan1d", "cufftPlan2d", "cufftPlan3d",
                               "cufftPlanMany"};
  for (const std::string& plan : plans) {
    std::string others = "cufftXtSetCallback,cufftXtSetJITCallback,cufftXtSetGPUs";
    for (const std::string& other : plans)
      if (other != plan)
        others += "," + other;
    EXPECT_TRUE(is_named(shimmed({"2"}, disabled(others)))) << plan;
  }
  EXPECT_FALSE(is_named(shimmed({"2"}, disabled("cufft"))));
}

} // namespace
