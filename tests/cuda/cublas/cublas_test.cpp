// cuBLAS, with a double.
#include "cuda_test.h"

namespace {

// ---- cuBLAS, a double ----

class Cublas : public CudaTest {
protected:
  void SetUp() override { use("cublas_handle"); }

  static Environment workspace(const std::string& value) {
    return {{"CUBLAS_WORKSPACE_CONFIG", value}};
  }
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
  const auto change = std::ranges::find_if(changes, [](const nlohmann::json& c) {
    return c["name"] == "CUBLAS_WORKSPACE_CONFIG";
  });
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
    EXPECT_TRUE(left.did("nondeterministic", "cublasCreate_v2")) << left;
  }
}

TEST_P(Cublas, WorkspaceIsLeftAloneWhereNothingIsForced) {
  for (const Environment& mode : {record, observe, disabled("env:CUBLAS_WORKSPACE_CONFIG")}) {
    shimmed({}, mode);
    EXPECT_TRUE(contains(calls(), std::string{seen_workspace} + "(unset)"));
  }
}

/// A record of a variable that the user set.
bool names_variable(const Shimmed& run, const std::string& action, const std::string& function,
                    const std::string& name, const std::string& value) {
  return std::ranges::any_of(run.records, [&](const nlohmann::json& r) {
    return r["t"] == "call" && r["fn"] == function && r["do"] == action && r["variable"] == name &&
           r["requested"] == value;
  });
}

struct Variable {
  std::string name, value, action;
};
const Variable variables[] = {
    {"CUBLAS_EMULATE_SINGLE_PRECISION", "1", "nondeterministic"},
    {"CUBLAS_EMULATE_SINGLE_PRECISION", "0", "observe"},
    {"CUBLAS_EMULATE_DOUBLE_PRECISION", "1", "nondeterministic"},
    {"CUBLAS_EMULATE_DOUBLE_PRECISION", "0", "observe"},
    {"CUBLAS_EMULATION_STRATEGY", "eager", "nondeterministic"},
    {"CUBLAS_EMULATION_STRATEGY", "default", "observe"},
    {"CUBLAS_FIXEDPOINT_EMULATION_MANTISSA_BIT_COUNT", "55", "nondeterministic"},
    {"CUBLASLT_HEURISTICS_LUT_FILE", "table", "observe"},
    {"CUBLASLT_HEURISTICS_CACHE_CAPACITY", "7", "observe"},
    {"CUBLAS_AUTOTUNING_CACHE_CAPACITY", "7", "observe"},
    {"NVIDIA_TF32_OVERRIDE", "0", "observe"}};

TEST_P(Cublas, VariablesOfTheUserAreRecorded) {
  for (const auto& [name, value, action] : variables) {
    const Environment set{{name, value}};
    const auto recorded = shimmed({}, enforce + set);
    EXPECT_TRUE(names_variable(recorded, action, "cublasCreate_v2", name, value))
        << name << recorded;
    const auto out = shimmed({}, disabled("cublasCreate_v2") + set);
    EXPECT_FALSE(names_variable(out, action, "cublasCreate_v2", name, value)) << out;
  }
  const auto none = shimmed({}, enforce + Environment{{"CUBLAS_EMULATION_STRATEGY", ""}});
  EXPECT_FALSE(none.did("nondeterministic", "cublasCreate_v2")) << none;
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
    EXPECT_TRUE(left.did("nondeterministic", "cublasSetAtomicsMode")) << left;
  }
}

TEST_P(Cublas, OptingOutBringsTheNativeResultBack) {
  for (const std::string what : {"cublasSetAtomicsMode", "cublas"})
    EXPECT_TRUE(contains(shimmed({}, disabled(what)).out, "get=0 mode=1")) << what;
}

// ---- settings of a handle, and products ----

class CublasGemm : public CudaTest {
protected:
  void SetUp() override { use("cublas_gemm"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CublasGemm, both_ways, name_of_way);

const Environment off{{"DETSHIM_AUTOTUNE", "off"}}, first{{"DETSHIM_AUTOTUNE", "first"}};
const Environment no_workspace{{"DETSHIM_DISABLE", "env:CUBLAS_WORKSPACE_CONFIG"}};

struct Form {
  const char* argument;
  const char* function;
  const char* arguments; ///< as the double must see them
};
const Form forms[] = {{"ex", "cublasGemmEx", "k=5 ldc=7 batches=1"},
                      {"ex_64", "cublasGemmEx_64", "k=5 ldc=7 batches=1"},
                      {"batched", "cublasGemmBatchedEx", "k=5 ldc=7 batches=3"},
                      {"batched_64", "cublasGemmBatchedEx_64", "k=5 ldc=7 batches=3"},
                      {"strided", "cublasGemmStridedBatchedEx", "k=5 ldc=7 batches=3"},
                      {"strided_64", "cublasGemmStridedBatchedEx_64", "k=5 ldc=7 batches=3"}};

/// The double's line of a product.
std::string seen(const Form& form, const std::string& compute, const std::string& algo) {
  return std::string{form.function} + " " + form.arguments + " compute=" + compute +
         " algo=" + algo;
}

TEST_P(CublasGemm, AutotuneBecomesTheDefault) {
  for (const Form& form : forms) {
    const std::string asked = std::string{form.argument} + ":68:999";
    native({asked});
    EXPECT_TRUE(contains(calls(), seen(form, "68", "999"))) << form.function;
    for (const Environment& mode : {enforce, strict}) {
      const auto given = shimmed({asked}, mode);
      EXPECT_TRUE(contains(given.out, asked + "=0")) << given;
      EXPECT_TRUE(contains(calls(), seen(form, "68", "-1"))) << form.function;
      EXPECT_TRUE(given.did("replace", form.function)) << given;
    }
    shimmed({asked}, disabled(form.function));
    EXPECT_TRUE(contains(calls(), seen(form, "68", "999"))) << form.function;
  }
}

TEST_P(CublasGemm, AutotuneIsLeftAloneAndRecorded) {
  for (const Form& form : forms) {
    const std::string asked = std::string{form.argument} + ":68:999";
    for (const Environment& mode :
         {record, record + first, observe, observe + first, enforce + off}) {
      const auto left = shimmed({asked}, mode);
      EXPECT_TRUE(contains(calls(), seen(form, "68", "999"))) << form.function;
      EXPECT_TRUE(left.did("nondeterministic", form.function)) << left;
    }
  }
}

// A framework names them one by one and times each.
TEST_P(CublasGemm, NumberedAlgorithmsBecomeTheDefaultOfTheirKind) {
  struct Algorithm {
    std::string asked, given;
  };
  for (const auto& [asked, given] : {Algorithm{"0", "-1"}, Algorithm{"23", "-1"},
                                     Algorithm{"100", "99"}, Algorithm{"115", "99"}}) {
    for (const Form& form : forms) {
      const std::string product = std::string{form.argument} + ":68:" + asked;
      const auto replaced = shimmed({product});
      EXPECT_TRUE(contains(calls(), seen(form, "68", given))) << form.function;
      EXPECT_TRUE(replaced.did("replace", form.function)) << replaced;
      shimmed({product}, disabled(form.function));
      EXPECT_TRUE(contains(calls(), seen(form, "68", asked))) << form.function;
    }
    const std::string product = "ex:68:" + asked;
    shimmed({product}, strict);
    EXPECT_TRUE(contains(calls(), seen(forms[0], "68", given)));
    for (const Environment& mode : {record, record + first, observe, enforce + off}) {
      const auto left = shimmed({product}, mode);
      EXPECT_TRUE(contains(calls(), seen(forms[0], "68", asked)));
      EXPECT_TRUE(left.did("nondeterministic", "cublasGemmEx")) << left;
    }
  }
  for (const std::string outside : {"24", "98", "116", "-2"}) {
    shimmed({"ex:68:" + outside});
    EXPECT_TRUE(contains(calls(), seen(forms[0], "68", outside)));
  }
}

TEST_P(CublasGemm, TheUsualAlgorithmsPass) {
  for (const Form& form : forms)
    for (const std::string algo : {"-1", "99"}) {
      const auto passed = shimmed({std::string{form.argument} + ":68:" + algo});
      EXPECT_TRUE(contains(calls(), seen(form, "68", algo))) << form.function;
      EXPECT_FALSE(passed.recorded(form.function)) << passed;
    }
}

// A call that came to nothing was not replaced by another one, and left nothing nondeterministic.
TEST_P(CublasGemm, AFailureIsNotRecordedAsReplaced) {
  const Environment later = misbehaving("fail_later");
  Arguments program{"several", "workspace", "math:8", "strategy:2", "atomics:1"};
  for (const Form& form : forms)
    for (const std::string what : {":68:999", ":68:3", ":79:-1"})
      program.push_back(form.argument + what);
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto failed = shimmed(program, mode + later);
    EXPECT_EQ(failed.out, native(program, later));
    for (const std::string action : {"replace", "nondeterministic", "refuse"})
      for (const auto& call : failed.records)
        if (call["t"] == "call" && call["fn"] != "cublasCreate_v2") {
          EXPECT_NE(call["do"], action) << call;
        }
  }
  EXPECT_TRUE(shimmed(program).did("replace", "cublasSetAtomicsMode"));
}

TEST_P(CublasGemm, ABadArgumentStaysBad) {
  const Arguments program{"atomics:5", "atomics:-1", "ex:68:50"};
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto run = shimmed(program, mode);
    EXPECT_EQ(run.out, native(program));
    EXPECT_TRUE(contains(run.out, "atomics:5=7")) << run;
    EXPECT_FALSE(run.recorded("cublasSetAtomicsMode")) << run;
  }
}

TEST_P(CublasGemm, AFailureIsHandedBack) {
  const Environment later = misbehaving("fail_later");
  EXPECT_TRUE(contains(native({"stream"}, later), "stream=1"));
  const auto failed = shimmed({"stream"}, enforce + later);
  EXPECT_TRUE(contains(failed.out, "stream=1")) << failed;
  EXPECT_FALSE(failed.recorded("cublasSetStream_v2")) << failed;
}

// cublasGemmEx is called by the program, cublasLtMatmul by cublasGemmEx.
TEST_P(CublasGemm, OnlyTheOutermostCallIsRecorded) {
  const auto nested = shimmed({"ex:68:999", "ex:68:-1"});
  EXPECT_TRUE(contains(calls(), "cublasLtMatmul algo=77")) << nested;
  EXPECT_TRUE(nested.recorded("cublasGemmEx")) << nested;
  EXPECT_FALSE(nested.recorded("cublasLtMatmul")) << nested;
}

TEST_P(CublasGemm, FixedPointEmulationIsRecorded) {
  for (const Form& form : forms) {
    const auto emulated = shimmed({std::string{form.argument} + ":79:-1"});
    EXPECT_TRUE(contains(calls(), seen(form, "79", "-1"))) << form.function;
    EXPECT_TRUE(emulated.did("nondeterministic", form.function)) << emulated;
    EXPECT_FALSE(shimmed({std::string{form.argument} + ":79:-1"}, disabled(form.function))
                     .recorded(form.function));
  }
  const auto mode = shimmed({"math:24", "strategy:2"});
  EXPECT_TRUE(contains(calls(), "cublasSetMathMode mode=24"));
  EXPECT_TRUE(contains(calls(), "cublasSetEmulationStrategy strategy=2"));
  EXPECT_TRUE(mode.did("nondeterministic", "cublasSetMathMode")) << mode;
  EXPECT_TRUE(mode.did("nondeterministic", "cublasSetEmulationStrategy")) << mode;
  const auto harmless = shimmed({"math:3", "strategy:0"});
  EXPECT_TRUE(contains(calls(), "cublasSetMathMode mode=3"));
  EXPECT_TRUE(contains(calls(), "cublasSetEmulationStrategy strategy=0"));
  EXPECT_FALSE(harmless.did("nondeterministic", "cublasSetMathMode")) << harmless;
  EXPECT_FALSE(harmless.did("nondeterministic", "cublasSetEmulationStrategy")) << harmless;
  for (const std::string what : {"cublasSetMathMode", "cublasSetEmulationStrategy"})
    EXPECT_FALSE(shimmed({"math:24", "strategy:2"}, disabled(what)).recorded(what));
}

TEST_P(CublasGemm, WorkOnSeveralDevicesIsRecorded) {
  const Lines expected = native({"several"});
  EXPECT_TRUE(contains(calls(), "cublasXtCreate"));
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto recorded = shimmed({"several"}, mode);
    EXPECT_EQ(recorded.out, expected);
    EXPECT_TRUE(recorded.did("nondeterministic", "cublasXtCreate")) << recorded;
  }
  EXPECT_FALSE(shimmed({"several"}, disabled("cublasXtCreate")).recorded("cublasXtCreate"));
}

TEST_P(CublasGemm, AWorkspaceOfTheProgramIsRecordedAndPasses) {
  const auto set = shimmed({"workspace", "stream"});
  // Nothing is put back after the stream: the program's buffer is the program's.
  EXPECT_EQ(calls(), (Lines{"cublasCreate_v2 CUBLAS_WORKSPACE_CONFIG=:4096:8",
                            "cublasSetWorkspace_v2 size=64", "cublasSetStream_v2 stream=2",
                            "cublasDestroy_v2"}));
  EXPECT_TRUE(set.did("observe", "cublasSetWorkspace_v2")) << set;
  EXPECT_TRUE(set.did("observe", "cublasSetStream_v2")) << set;
  EXPECT_FALSE(
      shimmed({"workspace"}, disabled("cublasSetWorkspace_v2")).recorded("cublasSetWorkspace_v2"));
}

TEST_P(CublasGemm, AStreamWithoutABoundedPoolIsRecorded) {
  for (const Environment& mode : {enforce + no_workspace, record}) {
    const auto set = shimmed({"stream"}, mode);
    EXPECT_TRUE(contains(calls(), "cublasSetStream_v2 stream=2"));
    EXPECT_TRUE(set.did("nondeterministic", "cublasSetStream_v2")) << set;
  }
  const auto out = disabled("env:CUBLAS_WORKSPACE_CONFIG,cublasSetStream_v2");
  EXPECT_FALSE(shimmed({"stream"}, out).recorded("cublasSetStream_v2"));
}

} // namespace
