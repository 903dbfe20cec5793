// cuTENSOR: what it chooses by time, and what it computes otherwise in each run.
#include "tuning_test.h"

namespace {

class Cutensor : public TuningTest {
protected:
  void SetUp() override { use("tensor_calls"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Cutensor, both_ways, name_of_way);

const Environment off{{"DETSHIM_AUTOTUNE", "off"}};
const std::string preference = "cutensorPlanPreferenceSetAttribute";
const std::string create = "cutensorCreateBlockSparseContraction";
const std::string set_attribute = "cutensorOperationDescriptorSetAttribute";

TEST_P(Cutensor, ChoosesNothingByTime) {
  const Lines tuned{"status=0,0 kernels=0122"}, untuned{"status=0,0 kernels=0000"};
  for (const auto& [way, function] :
       {std::pair{"tune", preference}, {"tune1", "cutensorContractionFindSetAttribute"}}) {
    EXPECT_EQ(native({way}, fastest("2")), tuned);
    for (const Environment& mode : {enforce, strict, replaying()}) {
      if (mode.contains("DETSHIM_AUTOTUNE")) shimmed({way}, recording());
      const auto answered = shimmed({way}, mode + fastest("2"));
      EXPECT_EQ(answered.out, untuned) << answered;
      EXPECT_TRUE(contains(calls(), function + " 0=0"));
      EXPECT_TRUE(contains(calls(), function + " 2=4")); // what is not the mode stays
      EXPECT_TRUE(answered.did("replace", function)) << answered;
    }
    for (const Environment& mode : {enforce + off, recording(), observe, record}) {
      const auto left = shimmed({way}, mode + fastest("2"));
      EXPECT_EQ(left.out, tuned) << left;
      EXPECT_TRUE(left.did("nondeterministic", function)) << left;
    }
    EXPECT_EQ(shimmed({way}, disabled(function) + fastest("2")).out, tuned);
    const auto refused = shimmed({way}, enforce + misbehaving("refuse"));
    EXPECT_EQ(refused.out, Lines{"status=7,7 kernels=0000"});
    EXPECT_FALSE(refused.recorded(function)) << refused;
  }
  EXPECT_FALSE(shimmed({"none"}).recorded(preference));
}

TEST_P(Cutensor, BlockSparseContractionsRepeat) {
  const Lines repeats{"created=0 result=0"};
  EXPECT_NE(native({"sparse"}), native({"sparse"}));
  const Lines untouched = calls();
  for (const Environment& mode : {enforce, strict}) {
    const auto answered = shimmed({"sparse"}, mode);
    EXPECT_EQ(answered.out, repeats) << answered;
    EXPECT_TRUE(contains(calls(), untouched.at(0)));
    EXPECT_TRUE(answered.did("replace", create)) << answered;
  }
  for (const Environment& mode : {observe, record, disabled(create)}) {
    const auto left = shimmed({"sparse"}, mode);
    EXPECT_NE(left.out, repeats);
    EXPECT_EQ(left.did("nondeterministic", create), !mode.contains("DETSHIM_DISABLE")) << left;
  }
  const auto older = shimmed({"sparse"}, enforce + misbehaving("before 2.8"));
  EXPECT_NE(older.out, repeats);
  EXPECT_TRUE(older.did("nondeterministic", create)) << older;
  const auto refused = shimmed({"sparse"}, strict + misbehaving("before 2.8"));
  EXPECT_EQ(refused.out, Lines{"created=15"}) << refused;
  EXPECT_TRUE(contains(calls(), "cutensorDestroyOperationDescriptor"));
  EXPECT_TRUE(refused.did("refuse", create)) << refused;
  const auto failed = shimmed({"sparse"}, enforce + misbehaving("refuse"));
  EXPECT_EQ(failed.out, Lines{"created=7"});
  EXPECT_FALSE(failed.recorded(create)) << failed;
}

TEST_P(Cutensor, BlockSparseContractionsStayReproducible) {
  const Lines repeats{"created=0 set=0 result=0"};
  EXPECT_NE(native({"sparse", "0"}), repeats);
  EXPECT_EQ(native({"sparse", "1"}), repeats);
  const auto kept = shimmed({"sparse", "0"});
  EXPECT_EQ(kept.out, repeats) << kept;
  EXPECT_TRUE(kept.did("replace", set_attribute)) << kept;
  EXPECT_NE(shimmed({"sparse", "0"}, disabled(set_attribute)).out, repeats);
  EXPECT_TRUE(shimmed({"sparse", "0"}, observe).did("nondeterministic", set_attribute));
  EXPECT_FALSE(shimmed({"sparse", "1"}).recorded(set_attribute));
}

} // namespace
