// What `detshim log` closes with: covered, partly or unverified, and why.
//
// Every way around the hooks is taken by a program here, and must not be called covered.
#include "cuda_test.h"
#include "report/verdict_texts.h"

#include <chrono>
#include <fstream>

namespace {

using detshim::Finding;
using nlohmann::json;

const std::string programs = test_folder() + "/";
const std::string folders = std::filesystem::path(test_folder()).parent_path().string() + "/";
const std::string curand = folders + "curand/doubles/libcurand.so.10";
const std::string cusparse = folders + "cusparse/doubles/libcusparse.so.12";
const std::string doubles =
    folders + "curand/doubles:" + folders + "cusparse/doubles:" + folders + "driver/doubles";
const std::string runtime_calls = folders + "driver/runtime_calls";
const std::string driver_calls = folders + "driver/driver_calls";

/// cuRAND with a function that no list knows.
const std::string curand_with_new_function = programs + "new_function/libcurand.so.10";
const Environment with_new_function{{"LD_LIBRARY_PATH", programs + "new_function"}};

/// The driver's library is loaded: without it no process has a GPU, and nothing that needs one
/// counts.
const std::string driver = folders + "driver/doubles/libcuda.so.1";

class CoverageTest : public testing::Test {
protected:
  /// What the log says of a run of `program`, a path or a program of this folder.
  json judged(const std::string& program, const Arguments& arguments, const Environment& more = {},
              bool has_log = true) {
    Arguments command{std::filesystem::path(programs) / program};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Environment environment =
        Environment{{"DETSHIM_SEED", "42"},
                    {"LD_LIBRARY_PATH", doubles},
                    {"DOUBLE_LOG", (scratch_.path() / "calls").string()}} +
        more;
    std::filesystem::remove_all(scratch_.log());
    result_ = run(command, under_shim(scratch_, environment));
    return has_log ? read() : json::object();
  }

  json read(const Arguments& more = {}) const {
    Arguments command{DETSHIM_COMMAND, "log", scratch_.log().string(), "--json", "--check"};
    command.insert(command.end(), more.begin(), more.end());
    const Result log = run(command);
    const json document = json::parse(log.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << log.out << log.err << result_.out << result_.err;
    if (!document.is_object())
      return json::object();
    EXPECT_EQ(log.status, document["verdict"] == "covered" ? 0 : 3) << document["reasons"];
    return document;
  }

  std::string text() const {
    return run({DETSHIM_COMMAND, "log", scratch_.log().string(), "--all"}).out;
  }

  std::filesystem::path log() const { return scratch_.log(); }

  Environment with_driver() const {
    return {{"LD_PRELOAD", under_shim(scratch_).at("LD_PRELOAD") + ":" + driver}};
  }

  Result result_;
  TemporaryFolder scratch_;
};

/// The only reason that the document gives; an empty object if it gives none or several.
json only_reason(const json& document) {
  EXPECT_EQ(document["reasons"].size(), 1u) << document["reasons"];
  if (document["reasons"].size() != 1)
    return json::object();
  EXPECT_EQ(document["verdict"], document["reasons"][0]["verdict"]);
  return document["reasons"][0];
}

void expect_reason(const json& document, const std::string& verdict, const std::string& kind,
                   const std::string& function, const std::string& file) {
  const json reason = only_reason(document);
  ASSERT_TRUE(reason.contains("kind")) << document["reasons"];
  EXPECT_EQ(reason["verdict"], verdict);
  EXPECT_EQ(reason["kind"], kind) << reason;
  if (!function.empty()) {
    EXPECT_EQ(reason["function"], function) << reason;
  }
  if (!file.empty()) {
    EXPECT_EQ(reason["file"], file) << reason;
  }
}

/// That the only reason is that finding with these values. What a vendor says may stand behind it.
void expect_finding(const json& document, const detshim::VerdictReason& finding) {
  EXPECT_TRUE(
      only_reason(document)["text"].get<std::string>().starts_with(detshim::reason_text(finding)))
      << document["reasons"] << detshim::reason_text(finding);
}

/// Whether one of the reasons is of that kind.
bool says(const json& document, const std::string& kind) {
  return std::ranges::any_of(document["reasons"], [&](const json& reason) {
    return reason["kind"] == kind;
  });
}

// ---- covered ----

TEST_F(CoverageTest, AProgramWithoutCudaIsCovered) {
  const json document = judged("coverage_no_user", {"rand"});
  EXPECT_EQ(document["verdict"], "covered") << document["reasons"];
  EXPECT_EQ(document["coverage"], json::array());
  EXPECT_NE(text().find("\nverdict: covered"), std::string::npos) << text();
}

TEST_F(CoverageTest, ALinkedLibraryIsCovered) {
  const json document = judged("coverage_user", {"create"});
  EXPECT_EQ(document["verdict"], "covered") << document["reasons"];
  ASSERT_EQ(document["coverage"].size(), 1u) << document["coverage"];
  EXPECT_EQ(document["coverage"][0]["library"], "curand");
  EXPECT_EQ(document["coverage"][0]["files"], json::array({curand}));
  EXPECT_GT(document["coverage"][0]["hooks"], 5) << document["coverage"];
}

TEST_F(CoverageTest, AnOpenedPluginIsCovered) {
  const json document = judged("coverage_no_user", {"open=" + programs + "coverage_plugin.so"});
  EXPECT_EQ(document["verdict"], "covered") << document["reasons"];
  EXPECT_EQ(document["coverage"].size(), 1u);
}

TEST_F(CoverageTest, ALibraryThatIsNotCalledIsCovered) {
  EXPECT_EQ(judged("coverage_user", {"rand"})["verdict"], "covered");
}

TEST_F(CoverageTest, AnOlderLibrarysMissingFunctionsAreNamed) {
  const json document =
      judged("coverage_user", {"create"}, {{"LD_LIBRARY_PATH", programs + "no_ordering"}});
  EXPECT_EQ(document["verdict"], "covered") << document["reasons"];
  const json& missing = document["coverage"][0]["missing"];
  EXPECT_NE(std::ranges::find(missing, "curandSetGeneratorOrdering"), missing.end()) << missing;
}

TEST_F(CoverageTest, AStaticRuntimeIsNoGap) {
#ifndef DETSHIM_TEST_STATIC_RUNTIME
  GTEST_SKIP() << "libcudart_static.a was not found when the build was configured";
#endif
  EXPECT_EQ(judged("coverage_static_runtime", {"rand"})["verdict"], "covered");
}

TEST_F(CoverageTest, KernelsOfTheProgramsOwnAreUnverified) {
  const json document = judged("coverage_device_code", {"rand"}, with_driver());
  const std::string file = programs + "coverage_device_code";
  expect_reason(document, "unverified", "kernels", "", file);
  EXPECT_EQ(document["own_kernels"], json::array({file}));
  const json accepted = read({"--accept", "kernels"});
  EXPECT_EQ(accepted["verdict"], "covered") << accepted["reasons"];
  EXPECT_EQ(accepted["own_kernels"], json::array({file}));
  EXPECT_EQ(judged("coverage_user", {"create"})["own_kernels"], json::array());
}

// More: tests/kernels.
TEST_F(CoverageTest, KernelsThatAreLaunchedAndInNoFileAreUnverified) {
  const json document = judged(runtime_calls, {"cudaLaunchKernel"});
  EXPECT_TRUE(says(document, "kernels")) << document["reasons"];
  EXPECT_EQ(document["own_kernels"], json::array());
}

TEST_F(CoverageTest, KernelsThatAreCompiledAtRunTimeAreUnverified) {
  for (const std::string name : {"libnvrtc.so.13", "libtriton.so"}) {
    const std::filesystem::path compiler = scratch_.path() / name;
    std::filesystem::copy_file(programs + "coverage_plugin.so", compiler);
    const json document =
        judged("coverage_no_user", {"load=" + compiler.string(), "rand"}, with_driver());
    expect_reason(document, "unverified", "kernels", "", compiler.string());
    EXPECT_EQ(read({"--accept", "kernels"})["verdict"], "covered");
    std::filesystem::remove_all(log());
  }
}

// A framework's record is written as the library would: PyTorch itself has no kernels where there
// is no GPU.
TEST_F(CoverageTest, PyTorchAnswersForItsOwnKernels) {
  const auto copied = [&](const std::string& name) {
    std::filesystem::copy_file(programs + "coverage_plugin.so", scratch_.path() / name,
                               std::filesystem::copy_options::overwrite_existing);
    return (scratch_.path() / name).string();
  };
  const auto says_of_torch = [&](const char* deterministic) {
    for (const auto& entry : std::filesystem::directory_iterator(log()))
      if (entry.path().extension() == ".jsonl")
        std::ofstream(entry.path(), std::ios::app)
            << R"({"t":"framework","name":"torch","file":"/libtorch_cpu.so","deterministic":)"
            << deterministic << R"(,"by":"detshim"})" << std::endl;
  };
  const std::string compiler = copied("libnvrtc.so.13");
  const Arguments torch{"load=" + copied("libtorch_cuda.so"), "load=" + compiler, "rand"};
  expect_reason(judged("coverage_no_user", torch, with_driver()), "unverified", "kernels", "",
                compiler);
  says_of_torch("true");
  EXPECT_EQ(read()["verdict"], "covered") << read()["reasons"];
  says_of_torch("false"); // and it was told otherwise later
  expect_reason(read(), "unverified", "kernels", "", compiler);

  Arguments with_another = torch;
  const std::string another = copied("libtriton.so");
  with_another.insert(with_another.begin(), "load=" + another);
  judged("coverage_no_user", with_another, with_driver());
  says_of_torch("true");
  EXPECT_TRUE(says(read(), "kernels")) << read()["reasons"];
}

TEST_F(CoverageTest, PastTheDriversHooksIsABypassWhereTheyHaveSomethingToDo) {
  const Environment in_front{
      {"LD_PRELOAD", "libcuda.so.1:" + under_shim(scratch_).at("LD_PRELOAD")}};
  const Arguments calls{"cuMemAlloc_v2"};
  const json document =
      judged(driver_calls, calls, in_front + Environment{{"DETSHIM_FILL", "zero"}});
  EXPECT_EQ(result_.status, 0) << result_.err;
  EXPECT_EQ(document["verdict"], "partial");
  EXPECT_TRUE(says(document, "bypass")) << document["reasons"];
  judged(driver_calls, calls, in_front, false);
  EXPECT_FALSE(std::filesystem::exists(log())) << "nothing to say";
}

// ---- partly ----

TEST_F(CoverageTest, ALibraryInFrontOfOursIsABypass) {
  const Environment in_front{
      {"LD_PRELOAD", "libcurand.so.10:" + under_shim(scratch_).at("LD_PRELOAD")}};
  const json document = judged("coverage_user", {"create"}, in_front);
  expect_reason(document, "partial", "bypass", "curandCreateGenerator", programs + "coverage_user");
  expect_finding(document, {.finding = Finding::bypass,
                            .library = "curand",
                            .function = "curandCreateGenerator",
                            .file = programs + "coverage_user",
                            .names = {curand},
                            .count = 1});
  EXPECT_NE(text().find("\nverdict: partial"), std::string::npos) << text();
}

TEST_F(CoverageTest, AnAddressInATableIsABypassToo) {
  EXPECT_EQ(judged("coverage_user_table", {"create"})["verdict"], "covered");
  const Environment in_front{
      {"LD_PRELOAD", "libcurand.so.10:" + under_shim(scratch_).at("LD_PRELOAD")}};
  expect_reason(judged("coverage_user_table", {"create"}, in_front), "partial", "bypass",
                "curandCreateGenerator", programs + "coverage_user_table");
}

TEST_F(CoverageTest, APluginBoundDeepIsABypass) {
  const std::string plugin = programs + "coverage_plugin.so";
  EXPECT_EQ(judged("coverage_no_user", {"deep=" + plugin})["verdict"], "covered")
      << "the flag is taken away";
  const json document =
      judged("coverage_no_user", {"deep=" + plugin}, {{"DETSHIM_DISABLE", "dlopen"}});
  EXPECT_EQ(document["verdict"], "partial");
  EXPECT_TRUE(says(document, "disabled")) << document["reasons"];
  ASSERT_TRUE(says(document, "bypass")) << document["reasons"];
  for (const json& reason : document["reasons"]) {
    if (reason["kind"] == "bypass") {
      EXPECT_EQ(reason["file"], plugin);
    }
  }
}

TEST_F(CoverageTest, ACopyInTheProgramIsNamed) {
  for (const std::string program : {"coverage_copy", "coverage_copy_exported"}) {
    const json document = judged(program, {"create", "rand"});
    expect_reason(document, "partial", "linked_copy", "curandCreateGenerator", programs + program);

    // Without a look at the code, which is another matter.
    const json quick = read({"--no-scan"});
    EXPECT_EQ(quick["verdict"], "partial");
    EXPECT_TRUE(says(quick, "linked_copy")) << quick["reasons"];
  }
}

TEST_F(CoverageTest, APluginWithACopyIsNamed) {
  const std::string plugin = programs + "coverage_plugin_copy.so";
  const json document = judged("coverage_no_user", {"rand", "open=" + plugin});
  EXPECT_EQ(document["verdict"], "partial");
  EXPECT_TRUE(says(document, "linked_copy")) << document["reasons"];
  // Its calls come to the hook, which has no library behind it.
  EXPECT_TRUE(says(document, "foreign")) << document["reasons"];
  EXPECT_TRUE(std::ranges::any_of(document["reasons"], [&](const json& reason) {
    return reason["kind"] == "foreign" && reason["function"] == "curandCreateGenerator" &&
           reason["file"] == plugin;
  })) << document["reasons"];
}

// Beginning like one of cuDNN's parts makes it none.
TEST_F(CoverageTest, AUsersLibraryThatIsCalledLikeCudnnIsLookedInto) {
  const std::filesystem::path mine = scratch_.path() / "libcudnn_mine.so";
  std::filesystem::copy_file(programs + "coverage_plugin_copy.so", mine);
  const json document = judged("coverage_no_user", {"rand", "load=" + mine.string()});
  EXPECT_EQ(document["verdict"], "partial");
  EXPECT_TRUE(says(document, "linked_copy")) << document["reasons"];
}

TEST_F(CoverageTest, ALibraryUnderAnotherNameIsNamed) {
  const std::filesystem::path renamed = scratch_.path() / "libcurand-1f2e3d4c.so.10";
  std::filesystem::copy_file(curand, renamed);
  expect_reason(judged("coverage_no_user", {"rand", "load=" + renamed.string()}), "partial",
                "linked_copy", "curandCreateGenerator", renamed.string());
}

TEST_F(CoverageTest, ANewFunctionThatIsUsedIsNamed) {
  const json document = judged("coverage_user_new", {"create", "rand"}, with_new_function);
  expect_reason(document, "partial", "new_function", "curandCreateGeneratorFromNowhere",
                programs + "coverage_user_new");
}

TEST_F(CoverageTest, ModeRecordLeavesAlgorithms) {
  expect_reason(judged("coverage_user", {"create"}, {{"DETSHIM_MODE", "record"}}), "partial",
                "mode", "", "");
  EXPECT_EQ(judged("coverage_no_user", {"rand"}, {{"DETSHIM_MODE", "record"}})["verdict"],
            "covered");
}

// ---- unverified ----

// That a library has it says nothing: it was neither bound nor looked up.
TEST_F(CoverageTest, ANewFunctionThatNobodyIsLinkedToIsCovered) {
  EXPECT_EQ(judged("coverage_user", {"create"}, with_new_function)["verdict"], "covered");
}

TEST_F(CoverageTest, ANewFunctionThatIsLookedUpIsNotVerified) {
  const json document = judged("coverage_no_user", {"rand", "load=" + curand_with_new_function,
                                                    "symbol=curandCreateGeneratorFromNowhere"});
  expect_reason(document, "unverified", "new_function", "curandCreateGeneratorFromNowhere",
                programs + "coverage_no_user");
}

// ---- no GPU ----

// Only the driver's library reaches a GPU.
TEST_F(CoverageTest, WithoutTheDriverNoKernelAndNoFunctionOfCudaCounts) {
  for (const auto& [program, arguments] :
       {std::pair<std::string, Arguments>{"coverage_device_code", {"rand", "load=" + cusparse}},
        {"coverage_device_code_stripped", {"rand", "load=" + cusparse}},
        {"coverage_user_sparse_now", {"rand"}},
        {"coverage_no_user",
         {"rand", "load=" + cusparse, "symbol=cusparseSgpsvInterleavedBatch"}}}) {
    const json document = judged(program, arguments);
    EXPECT_EQ(document["verdict"], "covered") << program << document["reasons"];
    EXPECT_EQ(document["idle_cuda_libraries"], 1) << program;

    const json loaded = judged(program, arguments, with_driver());
    EXPECT_NE(loaded["verdict"], "covered") << program;
    EXPECT_EQ(loaded["idle_cuda_libraries"], 0) << program;
  }
}

// What it had loaded is not known.
TEST_F(CoverageTest, AKilledProcessMayHaveHadAGpu) {
  const json document = judged("coverage_device_code", {"rand", "kill"});
  EXPECT_TRUE(says(document, "kernels")) << document["reasons"];
  EXPECT_EQ(document["idle_cuda_libraries"], 0);
}

// cuRAND draws on the processor too.
TEST_F(CoverageTest, CurandCountsWithoutAGpu) {
  EXPECT_EQ(judged("coverage_copy", {"rand"})["verdict"], "partial");
}

// ---- accepted ----

TEST_F(CoverageTest, AReasonIsTakenBackByItsName) {
  judged("coverage_device_code", {"rand"}, with_driver());
  for (const std::string name : {"kernels", "kernels:coverage_device_code", "kernels:/"}) {
    const std::string whole =
        name == "kernels:/" ? "kernels:" + programs + "coverage_device_code" : name;
    const json document = read({"--accept", whole});
    EXPECT_EQ(document["verdict"], "covered") << whole;
    EXPECT_EQ(document["accepted"].size(), 1u) << document["accepted"];
    EXPECT_EQ(document["acceptances"], json::array({{{"name", whole}, {"reasons", 1}}}));
  }
  const json other = read({"--accept", "kernels:libelse.so", "--accept", "code"});
  EXPECT_EQ(other["verdict"], "unverified");
  EXPECT_EQ(other["acceptances"][0]["reasons"], 0) << other["acceptances"];
  EXPECT_EQ(
      read({"--accept", "kernels", "--accept", "code"})["acceptances"],
      json::array({{{"name", "kernels"}, {"reasons", 1}}, {{"name", "code"}, {"reasons", 0}}}));
}

// It is in the list of known functions, and has no hook: nobody says whether it repeats.
TEST_F(CoverageTest, AnUnhookedFunctionThatMayDifferIsNotVerified) {
  for (const Environment& mode : {Environment{}, Environment{{"DETSHIM_MODE", "strict"}}}) {
    const json document = judged("coverage_user_sparse", {"rand", "solve"}, mode + with_driver());
    expect_reason(document, "unverified", "open_function", "cusparseSgpsvInterleavedBatch",
                  programs + "coverage_user_sparse");
    expect_finding(document, {.finding = Finding::open_function_called,
                              .library = "cusparse",
                              .file = programs + "coverage_user_sparse",
                              .detail = "NVIDIA does not say",
                              .names = {"cusparseSgpsvInterleavedBatch"}});
  }
}

// A reference that is bound when it is first called tells that it was not; one that is bound at the
// start does not.
TEST_F(CoverageTest, AnUnhookedFunctionThatIsNotCalledIsCoveredIfThatCanBeTold) {
  EXPECT_EQ(judged("coverage_user_sparse", {"rand"}, with_driver())["verdict"], "covered");
  expect_reason(judged("coverage_user_sparse_now", {"rand"}, with_driver()), "unverified",
                "open_function", "cusparseSgpsvInterleavedBatch",
                programs + "coverage_user_sparse_now");
}

TEST_F(CoverageTest, AnUnhookedFunctionThatIsLookedUpIsNotVerified) {
  const std::string load = "load=" + cusparse;
  const std::string program = programs + "coverage_no_user";
  const std::string asked = "symbol=cusparseSgpsvInterleavedBatch";
  const json open = judged("coverage_no_user", {"rand", load, asked}, with_driver());
  expect_reason(open, "unverified", "open_function", "cusparseSgpsvInterleavedBatch", program);
  expect_finding(open, {.finding = Finding::open_function_looked_up,
                        .library = "cusparse",
                        .file = program,
                        .names = {"cusparseSgpsvInterleavedBatch"}});
  const json closed = judged("coverage_no_user", {"rand", load, asked, "close"}, with_driver());
  EXPECT_TRUE(says(closed, "open_function")) << closed["reasons"];
}

// cuDNN's multi-head attention has no hook: no framework calls it.
TEST_F(CoverageTest, CudnnsMultiHeadAttentionIsNotVerified) {
  const std::string load = "load=" + folders + "cudnn/doubles/libcudnn.so.9";
  for (const std::string function : {"cudnnMultiHeadAttnForward", "cudnnMultiHeadAttnBackwardData",
                                     "cudnnMultiHeadAttnBackwardWeights"})
    expect_reason(judged("coverage_no_user", {"rand", load, "symbol=" + function}, with_driver()),
                  "unverified", "open_function", function, programs + "coverage_no_user");
}

TEST_F(CoverageTest, AnUnhookedFunctionThatIsHarmlessIsCovered) {
  const json document = judged(
      "coverage_no_user", {"rand", "load=" + cusparse, "symbol=cusparseCreateIdentityPermutation"});
  EXPECT_EQ(document["verdict"], "covered") << document["reasons"];
}

TEST_F(CoverageTest, ALaterVersionWithNewFunctionsIsNotVerified) {
  const std::string folder = programs + "newer_with_new_function";
  const Environment newer{{"LD_LIBRARY_PATH", folder}};
  expect_reason(judged("coverage_user", {"create"}, newer), "unverified", "version", "",
                folder + "/libcurand.so.10");
  // One that is used is the reason then.
  expect_reason(judged("coverage_user_new", {"create", "rand"}, newer), "partial", "new_function",
                "curandCreateGeneratorFromNowhere", programs + "coverage_user_new");
}

TEST_F(CoverageTest, ALaterVersionWithTheSameFunctionsIsCovered) {
  const json document =
      judged("coverage_user", {"create"}, {{"LD_LIBRARY_PATH", programs + "newer"}});
  EXPECT_EQ(document["verdict"], "covered") << document["reasons"];
}

// What is linked is loaded and launched by hooks.
TEST_F(CoverageTest, ALinkerOfKernelsIsNoReason) {
  const std::filesystem::path linker = scratch_.path() / "libnvJitLink.so.12";
  std::filesystem::copy_file(programs + "coverage_plugin.so", linker);
  const json loaded =
      judged("coverage_no_user", {"load=" + linker.string(), "rand"}, with_driver());
  EXPECT_EQ(loaded["verdict"], "covered") << loaded["reasons"];
}

TEST_F(CoverageTest, NvidiasOtherLibrariesAreWhatTheyAre) {
  const auto judged_with = [&](const std::string& name) {
    const std::filesystem::path file = scratch_.path() / name;
    std::filesystem::copy_file(programs + "coverage_plugin_device_code.so", file,
                               std::filesystem::copy_options::overwrite_existing);
    return judged("coverage_no_user", {"load=" + file.string(), "rand"}, with_driver());
  };
  EXPECT_TRUE(says(judged_with("libmine.so"), "kernels"));
  for (const std::string name :
       {"libcudnn_ext.so.9", "libcufile.so.0", "libcupti.so.12", "libcufftw.so.11"}) {
    const json document = judged_with(name);
    EXPECT_EQ(document["own_kernels"], json::array()) << name;
    EXPECT_FALSE(says(document, "kernels")) << name << document["reasons"];
    EXPECT_FALSE(says(document, "linked_copy")) << name << document["reasons"];
  }
  for (const std::string name : {"libcutensor.so.2", "libcudss.so.0", "libnvshmem_host.so.3"})
    expect_reason(judged_with(name), "unverified", "no_hooks", "",
                  (scratch_.path() / name).string());
}

TEST_F(CoverageTest, AKilledProcessIsNotVerified) {
  expect_reason(judged("coverage_user", {"create", "kill"}), "unverified", "no_end", "", "");
  EXPECT_EQ(result_.status, 128 + 9);
  EXPECT_NE(text().find("\nverdict: unverified"), std::string::npos) << text();
}

TEST_F(CoverageTest, ALibraryThatWasClosedIsNotVerified) {
  expect_reason(judged("coverage_no_user", {"open=" + programs + "coverage_plugin.so", "close"}),
                "unverified", "no_coverage", "", curand);
}

TEST_F(CoverageTest, ALibraryOfAProgramThatExecutesAnotherIsLookedAtBefore) {
  result_ = run({"/usr/bin/python3", "-c", contents(PROGRAMS "executes_another.py"),
                 programs + "coverage_user", "coverage_user", "create"},
                under_shim(scratch_, {{"DETSHIM_SEED", "42"}, {"LD_LIBRARY_PATH", doubles}}));
  EXPECT_EQ(result_.status, 0) << result_.err;
  EXPECT_EQ(read()["verdict"], "covered") << read()["reasons"];
}

TEST_F(CoverageTest, TwoCopiesAreNotVerified) {
  const std::filesystem::path second = scratch_.path() / "libcurand.so.10";
  std::filesystem::copy_file(curand, second);
  expect_reason(judged("coverage_user", {"create", "load=" + second.string()}), "unverified",
                "two_copies", "", "");
}

TEST_F(CoverageTest, ACopyBesideTheLibraryIsNotVerified) {
  expect_reason(judged("coverage_copy", {"rand", "load=" + curand}), "unverified", "linked_copy",
                "curandCreateGenerator", programs + "coverage_copy");
}

TEST_F(CoverageTest, DeviceCodeWithoutSymbolsIsNotVerified) {
  judged("coverage_device_code_stripped", {"rand"}, with_driver());
  expect_reason(read({"--accept", "kernels"}), "unverified", "no_symbols", "",
                programs + "coverage_device_code_stripped");
}

TEST_F(CoverageTest, ModeObserveIsNotVerified) {
  const json document = judged("coverage_user", {"create", "rand"}, {{"DETSHIM_MODE", "observe"}});
  EXPECT_NE(document["verdict"], "covered");
  EXPECT_TRUE(says(document, "mode")) << document["reasons"];
}

TEST_F(CoverageTest, ALogWithoutTheCoverageRecordIsNotVerified) {
  judged("coverage_user", {"create"});
  for (const auto& entry : std::filesystem::directory_iterator(log())) {
    if (entry.path().extension() != ".jsonl")
      continue;
    std::ifstream input(entry.path());
    std::string kept;
    for (std::string line; std::getline(input, line);)
      if (line.find("\"t\":\"coverage\"") == std::string::npos)
        kept += line + "\n";
    std::ofstream(entry.path()) << kept;
  }
  EXPECT_TRUE(says(read(), "no_coverage")) << read()["reasons"];
}

TEST_F(CoverageTest, AFileThatIsGoneIsNotVerified) {
  const std::filesystem::path copy = scratch_.path() / "gone";
  std::filesystem::copy_file(programs + "coverage_user", copy);
  result_ = run({copy.string(), "create"},
                under_shim(scratch_, {{"DETSHIM_SEED", "42"}, {"LD_LIBRARY_PATH", doubles}}));
  EXPECT_EQ(read()["verdict"], "covered") << read()["reasons"];
  std::filesystem::remove(copy);
  expect_reason(read(), "unverified", "missing_file", "", copy.string());
}

// A program that was built anew has other code at the places that the log names.
TEST_F(CoverageTest, AFileThatHasChangedIsNotVerifiedAndNotReadFrom) {
  const std::filesystem::path program = scratch_.path() / "train";
  for (const std::string how : {"rand", "kill"}) {
    std::filesystem::remove(program);
    std::filesystem::copy_file(programs + "coverage_no_user", program);
    std::filesystem::remove_all(log());
    result_ = run({program.string(), "rand", how}, under_shim(scratch_, {{"DETSHIM_SEED", "42"}}));
    const auto place_of_rand = [&]() -> json {
      const json document = read();
      for (const json& call : document["calls"])
        if (call["function"] == "rand")
          return call["places"][0];
      return nullptr;
    };
    ASSERT_TRUE(place_of_rand().is_object());
    EXPECT_EQ(place_of_rand()["source"]["function"], "main") << how;

    // Older than the log, as a file is that an archive or a package brought: its build alone tells.
    std::filesystem::remove(program);
    std::filesystem::copy_file(programs + "coverage_user", program);
    std::filesystem::last_write_time(program, std::filesystem::file_time_type::clock::now() -
                                                  std::chrono::hours(1));
    EXPECT_EQ(place_of_rand()["source"], nullptr) << how;
    const json document = read();
    EXPECT_EQ(document["changed_files"], json::array({program.string()})) << how;
    EXPECT_TRUE(says(document, "changed_file")) << document["reasons"];
    for (const json& reason : document["reasons"])
      if (reason["kind"] == "changed_file") {
        EXPECT_EQ(reason["names"], json::array({program.string()}));
      }
    EXPECT_NE(place_of_rand()["at"].get<std::string>().find("/train+0x"), std::string::npos)
        << "the place itself: " << document["calls"];
  }
}

} // namespace
