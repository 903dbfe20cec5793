// cuBLAS, by a double.
#include "cuda_test.h"

namespace {

// ---- cuBLAS, a double ----

class Cublas : public CudaTest {
protected:
  void SetUp() override { use("cublas_handle", DETSHIM_TEST_DOUBLES, ""); }

  static Environment workspace(const std::string& value) { return {{"CUBLAS_WORKSPACE_CONFIG", value}}; }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Cublas, both_ways, name_of_way);

const char* const seen_workspace = "cublasCreate_v2 CUBLAS_WORKSPACE_CONFIG=";

TEST_P(Cublas, WorkspaceIsSetBeforeTheFirstHandle) {
  native({});
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + "(unset)"));
  for (const Environment& mode : {enforce, strict}) {
    shimmed({}, mode);
    EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":4096:8"));
  }
}

TEST_P(Cublas, ADeterministicWorkspaceOfTheUserStays) {
  shimmed({}, enforce + workspace(":16:8"));
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":16:8"));
}

TEST_P(Cublas, AnotherWorkspaceIsReplacedAndBothValuesAreRecorded) {
  const auto replaced = shimmed({}, enforce + workspace(":0:0"));
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":4096:8"));
  const auto changes = replaced.start()["env"];
  ASSERT_TRUE(changes.is_array()) << replaced;
  const auto change = std::ranges::find_if(
      changes, [](const nlohmann::json& c) { return c["name"] == "CUBLAS_WORKSPACE_CONFIG"; });
  ASSERT_NE(change, changes.end()) << replaced;
  EXPECT_EQ((*change)["was"], ":0:0");
  EXPECT_EQ((*change)["now"], ":4096:8");
}

// The library set the variable before main; a program may set it again, or take it away.
TEST_P(Cublas, AWorkspaceThatTheProgramUndoesIsSetAgain) {
  for (const std::string own : {":0:0", ""}) {
    const auto undone = shimmed({own});
    EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":4096:8"));
    EXPECT_TRUE(undone.did("replace", "cublasCreate_v2")) << undone;
  }
  shimmed({":16:8"});
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":16:8"));
  shimmed({":0:0"}, disabled("cublasCreate_v2"));
  EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + ":0:0"));
}

TEST_P(Cublas, AHandleWithoutTheWorkspaceIsRecorded) {
  for (const Environment& mode : {record, observe, disabled("env:CUBLAS_WORKSPACE_CONFIG")}) {
    const auto left = shimmed({}, mode);
    EXPECT_TRUE(left.did("unfixed", "cublasCreate_v2")) << left;
  }
}

TEST_P(Cublas, WorkspaceIsLeftAloneWhereNothingIsForced) {
  for (const Environment& mode : {record, observe, disabled("env:CUBLAS_WORKSPACE_CONFIG")}) {
    shimmed({}, mode);
    EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + "(unset)"));
  }
}

TEST_P(Cublas, AtomicsStayOff) {
  EXPECT_TRUE(contains(native({}), "get=0 mode=1"));
  for (const Environment& mode : {enforce, strict}) {
    const auto handled = shimmed({}, mode);
    EXPECT_TRUE(contains(handled.out, "set=0")) << handled;
    EXPECT_TRUE(contains(handled.out, "get=0 mode=0")) << handled;
    EXPECT_TRUE(contains(calls(), "cublasSetAtomicsMode mode=0"));
    EXPECT_TRUE(handled.did("replace", "cublasSetAtomicsMode")) << handled;
  }
}

TEST_P(Cublas, AtomicsAreLeftAloneAndRecorded) {
  for (const Environment& mode : {record, observe}) {
    const auto left = shimmed({}, mode);
    EXPECT_TRUE(contains(left.out, "get=0 mode=1")) << left;
    EXPECT_TRUE(left.did("unfixed", "cublasSetAtomicsMode")) << left;
  }
}

TEST_P(Cublas, OptingOutBringsTheNativeResultBack) {
  for (const std::string what : {"cublasSetAtomicsMode", "cublas"})
    EXPECT_TRUE(contains(shimmed({}, disabled(what)).out, "get=0 mode=1")) << what;
}

} // namespace
