// cuSOLVER, with a double.
#include "cuda_test.h"

namespace {

class Cusolver : public CudaTest {
protected:
  void SetUp() override { use("dense_solver"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Cusolver, both_ways, name_of_way);

const char* const set_mode = "cusolverDnSetDeterministicMode";
const char* const decompose = "cusolverDnXgesvdr";
const char* const decompose_polar = "cusolverDnXgesvdp";

TEST_P(Cusolver, TheDeterministicModeStaysOn) {
  EXPECT_TRUE(contains(native({"2"}), "get=0 mode=2"));
  for (const Environment& mode : {enforce, strict}) {
    const auto kept = shimmed({"2"}, mode);
    EXPECT_TRUE(contains(kept.out, "set=0")) << kept;
    EXPECT_TRUE(contains(kept.out, "get=0 mode=1")) << kept;
    EXPECT_TRUE(kept.did("replace", set_mode)) << kept;
  }
  const auto already = shimmed({"1"});
  EXPECT_TRUE(contains(already.out, "get=0 mode=1")) << already;
  EXPECT_FALSE(already.did("replace", set_mode)) << already;
}

TEST_P(Cusolver, TheModeIsLeftAloneAndRecorded) {
  for (const Environment& mode : {record, observe}) {
    const auto left = shimmed({"2"}, mode);
    EXPECT_TRUE(contains(left.out, "get=0 mode=2")) << left;
    EXPECT_TRUE(left.did("nondeterministic", set_mode)) << left;
  }
  for (const std::string what : {set_mode, "cusolver"})
    EXPECT_TRUE(contains(shimmed({"2"}, disabled(what)).out, "get=0 mode=2")) << what;
}

TEST_P(Cusolver, AnInvalidModeIsTheLibrarysToRefuse) {
  EXPECT_TRUE(contains(shimmed({"3"}).out, "set=3"));
}

// Every argument arrives: there are 26.
TEST_P(Cusolver, ARandomisedDecompositionIsRecorded) {
  native({"0"});
  const Lines expected = calls();
  EXPECT_TRUE(contains(expected, std::string{decompose} +
                                     " 0x1 SN 2 3 4 5 6 7 0x8 9 10 0xb 12 0xd 14 15 "
                                     "0x10 17 18 0x13 20 0x15 22 0x17"));
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto recorded = shimmed({"0"}, mode);
    EXPECT_EQ(calls(), expected);
    EXPECT_TRUE(recorded.did("nondeterministic", decompose)) << recorded;
  }
  const auto without = shimmed({"2"}, disabled(decompose));
  EXPECT_FALSE(without.recorded(decompose)) << without;
}

// Every argument arrives: there are 24.
TEST_P(Cusolver, APolarDecompositionIsRecordedWithTheHandlesMode) {
  native({"2"});
  const std::string arguments =
      " 0x1 2 3 4 5 6 0x7 8 9 0xa 11 0xc 13 14 0xf 16 17 0x12 19 0x14 21 0x16 0x17";
  EXPECT_TRUE(contains(calls(), decompose_polar + arguments));
  for (const Environment& mode : {enforce, strict}) {
    const auto kept = shimmed({"2"}, mode); // the hook of the mode keeps it
    EXPECT_TRUE(contains(calls(), decompose_polar + arguments));
    EXPECT_TRUE(kept.did("observe", decompose_polar)) << kept;
    EXPECT_FALSE(kept.did("nondeterministic", decompose_polar)) << kept;
  }
  for (const Environment& mode : {record, observe}) {
    const auto left = shimmed({"2"}, mode);
    EXPECT_TRUE(contains(calls(), decompose_polar + arguments));
    EXPECT_TRUE(left.did("nondeterministic", decompose_polar)) << left;
  }
  const auto bypassed = shimmed({"2"}, disabled(set_mode));
  EXPECT_TRUE(bypassed.did("nondeterministic", decompose_polar)) << bypassed;
  const auto without = shimmed({"2"}, disabled(decompose_polar));
  EXPECT_TRUE(contains(calls(), decompose_polar + arguments));
  EXPECT_FALSE(without.recorded(decompose_polar)) << without;
}

TEST_P(Cusolver, APolarDecompositionThatFailsIsNotRecorded) {
  const auto failed = shimmed({"2"}, record + misbehaving("gesvdp"));
  EXPECT_TRUE(contains(failed.out, "gesvdp=3")) << failed;
  EXPECT_FALSE(failed.recorded(decompose_polar)) << failed;
}

// CUSOLVER_FP64_EMULATED_FIXEDPOINT_MATH is 4; 2 is emulation by bfloat16, whose sums have one
// order.
TEST_P(Cusolver, FixedPointEmulationIsRecorded) {
  const char* const function = "cusolverDnSetMathMode";
  for (const Environment& mode : {enforce, strict, record, observe}) {
    for (const std::string emulated : {"4", "6"}) {
      const Lines expected = native({"0", emulated});
      const auto recorded = shimmed({"0", emulated}, mode);
      EXPECT_EQ(recorded.out, expected);
      EXPECT_TRUE(contains(calls(), std::string{function} + " mode=" + emulated));
      EXPECT_TRUE(recorded.did("nondeterministic", function)) << recorded;
    }
    for (const std::string other : {"1", "2"}) {
      const auto left = shimmed({"0", other}, mode);
      EXPECT_TRUE(left.did("observe", function)) << left;
      EXPECT_FALSE(left.did("nondeterministic", function)) << left;
    }
  }
  EXPECT_FALSE(shimmed({"0", "4"}, disabled(function)).recorded(function));
  EXPECT_FALSE(shimmed({"0", "4"}, enforce + misbehaving("math")).recorded(function));
}

TEST_P(Cusolver, SolversWithoutTheModeAreRecorded) {
  const Lines expected = native({"0"});
  for (const std::string function :
       {"cusolverDnIRSParamsCreate", "cusolverSpCreate", "cusolverRfCreate"}) {
    for (const Environment& mode : {enforce, strict, record, observe}) {
      const auto recorded = shimmed({"0"}, mode);
      EXPECT_EQ(recorded.out, expected);
      EXPECT_TRUE(contains(calls(), function));
      EXPECT_TRUE(recorded.did("nondeterministic", function)) << recorded;
    }
    EXPECT_FALSE(shimmed({"0"}, disabled(function)).recorded(function)) << function;
  }
}

TEST_P(Cusolver, ALibraryWithoutTheModeIsRecorded) {
  const auto present = shimmed({"2"});
  EXPECT_FALSE(present.did("nondeterministic", "cusolverDnCreate")) << present;
  set_doubles({"old"});
  const auto old = shimmed({"0"});
  EXPECT_TRUE(old.did("nondeterministic", "cusolverDnCreate")) << old;
  EXPECT_TRUE(old.did("nondeterministic", decompose_polar)) << old;
  const auto without = shimmed({"0"}, disabled("cusolverDnCreate"));
  EXPECT_FALSE(without.recorded("cusolverDnCreate")) << without;
}

TEST_P(Cusolver, TheLibraryIsNamed) {
  const auto kept = shimmed({"2"});
  EXPECT_TRUE(std::ranges::any_of(kept.records, [](const nlohmann::json& record) {
    return record["t"] == "library" && record["lib"] == "cusolver" && record["version"] == "12000";
  })) << kept;
}

TEST_P(Cusolver, FailuresAreTheLibrarysOwn) {
  EXPECT_EQ(shimmed({"2"}, enforce + misbehaving("fail")).out, Lines{"create=1"});
}

// ---- on several devices ----

class CusolverMg : public CudaTest {
protected:
  void SetUp() override { use("multi_solver"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CusolverMg, both_ways, name_of_way);

TEST_P(CusolverMg, IsRecordedAndNamed) {
  EXPECT_EQ(native({}), Lines{"create=0"});
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto recorded = shimmed({}, mode);
    EXPECT_EQ(recorded.out, Lines{"create=0"});
    EXPECT_TRUE(contains(calls(), "cusolverMgCreate"));
    EXPECT_TRUE(recorded.did("nondeterministic", "cusolverMgCreate")) << recorded;
    EXPECT_TRUE(std::ranges::any_of(recorded.records, [](const nlohmann::json& r) {
      return r["t"] == "library" && r["lib"] == "cusolvermg";
    })) << recorded;
  }
  EXPECT_FALSE(shimmed({}, disabled("cusolverMgCreate")).recorded("cusolverMgCreate"));
}

} // namespace
