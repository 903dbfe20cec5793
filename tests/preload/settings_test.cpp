// Variables that CUDA libraries and frameworks read: what they are set to, and a program that
// undoes one.
#include "log_files.h"
#include "report/verdict_texts.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace {

const std::string program = ENVIRONMENT_PROGRAM;
const std::string ops = "--xla_gpu_deterministic_ops=true", level = "--xla_gpu_autotune_level=0",
                  scatter = "--xla_disable_hlo_passes=scatter_determinism_expander";

struct Row {
  std::string name, value, bad;
  std::vector<std::string> good;
  std::string when_unset = "set"; ///< or what a program then sees
  bool in_strict_alone = false;
};
void PrintTo(const Row& row, std::ostream* stream) { *stream << row.name; }

const std::vector<Row> rows = {
    {"CUBLAS_WORKSPACE_CONFIG", ":4096:8", ":0:0", {":4096:8", ":16:8"}},
    {"NCCL_ALGO",
     "Ring",
     "Tree",
     {"ring", "CollnetDirect", "collnetchain", "^NVLS", "^nvls,NVLSTree", "Ring,CollnetDirect",
      "allreduce:ring;broadcast:collnetdirect"}},
    {"NCCL_PROTO",
     "Simple",
     "LL,LL128",
     {"simple", "LL", "ll128", "allreduce:LL", "allreduce:simple;broadcast:ll",
      "LL;allreduce:Simple,Simple"}},
    {"NCCL_NVLS_ENABLE", "0", "1", {}},
    {"NCCL_COLLNET_ENABLE", "0", "2", {"1"}},
    {"NCCL_WIN_ENABLE", "0", "1", {}},
    {"NCCL_SYM_NOWIN_ENABLE", "0", "1", {}, "(unset)"},
    {"NCCL_SYM_KERNEL", "", "AllReduce_AGxLL_R", {}, "(unset)"},
    {"KMP_DETERMINISTIC_REDUCTION", "TRUE", "FALSE", {"true", "1", "yes", "on"}},
    {"OMP_DYNAMIC", "FALSE", "TRUE", {"false", "0"}},
    {"MKL_DYNAMIC", "FALSE", "0", {"false"}},
    {"MKL_CBWR", "AUTO", "OFF", {"COMPATIBLE", "AVX2", "avx512,strict", "SSE4_2", "BRANCH=AVX2"}},
    {"TF_DETERMINISTIC_OPS", "1", "0", {"true", "True"}, "set", true},
    {"TF_CUDNN_DETERMINISTIC", "1", "false", {"TRUE"}},
    {"TF_CUDNN_USE_AUTOTUNE", "0", "1", {"false"}},
    {"TF_CUDNN_USE_FRONTEND", "1", "0", {"true"}},
    {"TF_ENABLE_ONEDNN_OPTS", "0", "1", {"false"}},
    {"XLA_FLAGS", ops + " " + level + " " + scatter, "", {level + " --x " + ops}},
    {"PYTORCH_TUNABLEOP_ENABLED", "0", "1", {}, "(unset)"},
    {"TORCHINDUCTOR_DETERMINISTIC", "1", "true", {}},
    {"NVTE_ALLOW_NONDETERMINISTIC_ALGO", "0", "1", {}},
    {"NVTE_DISABLE_TRITON_AUTOTUNING", "1", "0", {}},
    {"TRITON_CACHE_AUTOTUNING", "1", "0", {"true", "YES", "on", "y"}},
    {"FLASH_ATTENTION_DETERMINISTIC", "1", "0", {}},
    {"VLLM_TRITON_FORCE_FIRST_CONFIG", "1", "0", {"true"}},
    {"FD_DETERMINISTIC_MODE", "1", "0", {"True"}},
    {"QT_NO_CPU_FEATURE", "rdrnd rdseed", "avx2", {"rdrnd rdseed avx2"}},
    {"MAMBA_DETERMINISTIC", "1", "0", {}},
    {"CAUSAL_CONV1D_DETERMINISTIC", "1", "0", {}},
    {"FLASHINFER_AUTOTUNE_TIMER", "cuda_event", "globaltimer", {"CUDA_EVENT"}},
    {"FLASHINFER_CUTILE_AUTOTUNE_DISABLED", "1", "0", {}},
    {"B12X_DYNAMIC_DETERMINISTIC_OUTPUT", "1", "0", {"True"}},
    {"CUDNN_GEMM_SWIGLU_FROST_AUTOTUNE", "0", "1", {}},
    {"VERL_DISABLE_FLASH_ATTN_CE", "1", "0", {}},
    {"HELION_AUTOTUNE_EFFORT", "none", "full", {}},
};

const std::vector<std::string> noted = {"OMP_NUM_THREADS",
                                        "OPENBLAS_NUM_THREADS",
                                        "MKL_NUM_THREADS",
                                        "CUPY_SEED",
                                        "NCCL_MIN_NCHANNELS",
                                        "NCCL_MAX_NCHANNELS",
                                        "NCCL_NTHREADS",
                                        "NCCL_TOPO_FILE",
                                        "NCCL_MIN_CTAS",
                                        "NCCL_MAX_CTAS",
                                        "NCCL_CTA_POLICY",
                                        "NCCL_BUFFSIZE",
                                        "NCCL_PXN_DISABLE",
                                        "NCCL_MNNVL_ENABLE",
                                        "NCCL_GRAPH_FILE",
                                        "NCCL_RUNTIME_CONNECT",
                                        "NCCL_PAT_ENABLE",
                                        "NCCL_NO_CACHE",
                                        "NCCL_SYM_GIN_KERNELS_ENABLE",
                                        "NCCL_SYM_CE_THRESHOLD",
                                        "NCCL_CE_CHUNK_SIZE",
                                        "VLLM_BATCH_INVARIANT",
                                        "VLLM_ENABLE_V1_MULTIPROCESSING",
                                        "VLLM_ENABLE_INDUCTOR_MAX_AUTOTUNE",
                                        "VLLM_SYSTEM_START_DATE",
                                        "SGLANG_ENABLE_DETERMINISTIC_INFERENCE",
                                        "TORCHINDUCTOR_BATCH_INVARIANT",
                                        "CUPY_ACCELERATORS",
                                        "NVTE_RS_STRIDED_ATOMIC",
                                        "TRITON_DEFAULT_FP_FUSION",
                                        "HCCL_DETERMINISTIC",
                                        "CUBLASLT_WORKSPACE_SIZE",
                                        "NVIDIA_TF32_OVERRIDE",
                                        "HELION_AUTOTUNE_RANDOM_SEED",
                                        "POLARS_MAX_THREADS",
                                        "TORCH_CUDNN_V8_API_DISABLED",
                                        "TORCH_CUDNN_V8_API_LRU_CACHE_LIMIT",
                                        "CUDNN_SKIPHEUR_DBG",
                                        "CUDNN_PREFER_SM_COUNT_DBG",
                                        "CUDNN_RNN_WS_SIZE_DBG",
                                        "CUDNN_CONV_WSCAP_DBG",
                                        "CUDNN_FORCE_JIT_DBG",
                                        "CUDNN_STRICT_DBG",
                                        "CUDNN_LIB_CONFIG"};

/// One run of the program under the library, and its logs. The test's own environment may hold some
/// of the variables: `environment` says what each is.
struct Followed {
  std::vector<std::string> out;
  std::vector<ProcessLog> logs;
  int status = -1;

  /// Calls of that action, each as "function variable value", or "variable value" for those without
  /// a call.
  std::vector<std::string> did(const std::string& action) const {
    std::vector<std::string> found;
    for (const ProcessLog& log : logs)
      for (const auto& call : log.calls())
        if (call["do"] == action)
          found.push_back(call["fn"].get<std::string>() + " " +
                          (call["lib"] == "env" ? call["requested"].get<std::string>()
                                                : call["variable"].get<std::string>() + " " +
                                                      call["value"].get<std::string>()));
    return found;
  }
};

// `detshim run` knows what is installed, and leaves nothing here.
const Environment enforce = {{"DETSHIM_SEED", "42"}, {"DETSHIM_LEAVE", ""}};

Environment operator+(Environment a, const Environment& b) {
  for (const auto& [name, value] : b)
    a[name] = value;
  return a;
}

Followed follow(std::vector<std::string> orders, const Environment& environment = enforce) {
  const TemporaryFolder scratch;
  orders.insert(orders.begin(), program);
  const Result result = run(orders, under_shim(scratch, environment));
  Followed followed;
  followed.status = result.status;
  followed.out = lines(result.out);
  if (std::filesystem::exists(scratch.log()))
    followed.logs = read_log(scratch.log());
  return followed;
}

std::string printed(const std::string& name, const Environment& environment) {
  const Followed followed = follow({"print", name}, environment);
  EXPECT_EQ(followed.status, 0);
  return followed.out.empty() ? "(nothing)" : followed.out[0];
}

using Strings = std::vector<std::string>;

/// A mode in which that variable is forced.
Environment forcing(const Row& row) {
  return row.in_strict_alone ? enforce + Environment{{"DETSHIM_MODE", "strict"}} : enforce;
}

class Setting : public testing::TestWithParam<Row> {
public:
  void SetUp() override {
    if (std::getenv(GetParam().name.c_str()) != nullptr)
      GTEST_SKIP() << GetParam().name << " is set here";
  }
};
INSTANTIATE_TEST_SUITE_P(All, Setting, testing::ValuesIn(rows), [](const auto& row) {
  return row.param.name;
});

TEST_P(Setting, IsSetWhereTheUserHasNotSetIt) {
  const auto& [name, value, bad, good, when_unset, in_strict_alone] = GetParam();
  const Environment forces = forcing(GetParam());
  EXPECT_EQ(lines(run({program, "print", name}).out), Strings{"(unset)"}) << "without the library";
  const std::string expected = when_unset == "set" ? value : when_unset;
  EXPECT_EQ(printed(name, forces), expected);
  EXPECT_EQ(printed(name, enforce), in_strict_alone ? "(unset)" : expected);
  EXPECT_EQ(printed(name, enforce + Environment{{"DETSHIM_MODE", "strict"}}), expected);
  for (const char* mode : {"record", "observe", "off"})
    EXPECT_EQ(printed(name, forces + Environment{{"DETSHIM_MODE", mode}}), "(unset)") << mode;
  EXPECT_EQ(printed(name, forces + Environment{{"DETSHIM_DISABLE", "env:" + name}}), "(unset)");
}

TEST_P(Setting, OfTheUserStaysIfItIsRepeatable) {
  const auto& [name, value, bad, good, when_unset, in_strict_alone] = GetParam();
  const Environment forces = forcing(GetParam());
  for (const std::string& own : good) {
    const Followed kept = follow({"print", name}, forces + Environment{{name, own}});
    EXPECT_EQ(kept.out, Strings{own});
    EXPECT_TRUE(kept.logs.empty()) << own;
  }
}

TEST_P(Setting, OfTheUserGivesWayIfItIsNotAndBothAreRecorded) {
  const auto& [name, value, bad, good, when_unset, in_strict_alone] = GetParam();
  const Environment forces = forcing(GetParam());
  EXPECT_EQ(lines(run({program, "print", name}, {{name, bad}}).out), Strings{bad});
  const Followed replaced = follow({"print", name}, forces + Environment{{name, bad}});
  EXPECT_EQ(replaced.out, Strings{value});
  EXPECT_EQ(replaced.did("replace"), Strings{name + " " + bad});
  ASSERT_EQ(replaced.logs.size(), 1u);
  const auto changes = replaced.logs[0].records.at(0)["env"];
  const auto change = std::ranges::find_if(changes, [name = name](const auto& c) {
    return c["name"] == name;
  });
  ASSERT_NE(change, changes.end());
  EXPECT_EQ((*change)["was"], bad);
  EXPECT_EQ((*change)["now"], value);
  EXPECT_EQ(printed(name, forces + Environment{{name, bad}, {"DETSHIM_DISABLE", "env:" + name}}),
            bad);
}

TEST_P(Setting, ThatTheProgramUndoesIsRecorded) {
  const auto& [name, value, bad, good, when_unset, in_strict_alone] = GetParam();
  const Environment forces = forcing(GetParam());
  for (const char* call : {"setenv", "putenv"}) {
    const Strings orders = std::string{call} == "setenv"
                               ? Strings{call, name, bad, "print", name}
                               : Strings{call, name + "=" + bad, "print", name};
    const Followed undone = follow(orders, forces);
    EXPECT_EQ(undone.out, Strings{bad}) << "the program's will is done";
    EXPECT_EQ(undone.did("nondeterministic"), Strings{std::string{call} + " " + name + " " + bad});
    for (const Environment& other :
         {Environment{{"DETSHIM_DISABLE", "env:" + name}}, Environment{{"DETSHIM_MODE", "record"}},
          Environment{{"DETSHIM_MODE", "observe"}}})
      EXPECT_TRUE(follow(orders, forces + other).did("nondeterministic").empty()) << call;
  }
  const Followed unset = follow({"setenv", name, value, "unsetenv", name, "print", name}, forces);
  EXPECT_EQ(unset.out, Strings{"(unset)"});
  EXPECT_EQ(unset.did("nondeterministic"),
            when_unset == "set" ? Strings{"unsetenv " + name + " "} : Strings{});
}

TEST_P(Setting, ThatTheProgramSetsToARepeatableValueIsNot) {
  const auto& [name, value, bad, good, when_unset, in_strict_alone] = GetParam();
  const Environment forces = forcing(GetParam());
  for (const std::string& own : good)
    EXPECT_TRUE(follow({"setenv", name, own}, forces).logs.empty()) << own;
  EXPECT_TRUE(follow({"setenv", name, value, "unsetenv", "NO_SUCH_VARIABLE"}, forces).logs.empty());
}

TEST_P(Setting, ThatTheProgramOverwritesWithoutACallIsRecordedAtTheEnd) {
  const auto& [name, value, bad, good, when_unset, in_strict_alone] = GetParam();
  const Environment forces = forcing(GetParam());
  const Environment own = forces + Environment{{name, value}};
  EXPECT_EQ(follow({"write", name + "=" + bad}, own).did("nondeterministic"),
            Strings{name + " " + bad});
  EXPECT_TRUE(follow({"write", name + "=" + value}, own).logs.empty());
  EXPECT_EQ(follow({"remove", name}, own).did("nondeterministic"),
            when_unset == "set" ? Strings{name + " "} : Strings{});
}

// ---- what the table does not say ----

TEST(SetVariables, IsFollowedInThreadsAndChildren) {
  for (const char* where : {"thread", "child"})
    EXPECT_EQ(follow({where, "setenv", "NCCL_ALGO", "Tree"}).did("nondeterministic"),
              Strings{"setenv NCCL_ALGO Tree"})
        << where;
  EXPECT_EQ(follow({"setenv", "NCCL_ALGO", "Tree", "child"}).did("nondeterministic").size(), 1u)
      << "a child does not say again what its parent did";
}

TEST(SetVariables, SetAgainToARepeatableValueIsSaidOnce) {
  const Followed again = follow({"setenv", "NCCL_ALGO", "Tree", "setenv", "NCCL_ALGO", "Ring",
                                 "setenv", "NCCL_ALGO", "LL128", "unsetenv", "NCCL_ALGO", "putenv",
                                 "NCCL_ALGO=ring", "putenv", "NCCL_ALGO=ring"});
  EXPECT_EQ(again.did("nondeterministic"),
            (Strings{"setenv NCCL_ALGO Tree", "setenv NCCL_ALGO LL128", "unsetenv NCCL_ALGO "}));
  EXPECT_EQ(again.did("observe"), (Strings{"setenv NCCL_ALGO Ring", "putenv NCCL_ALGO ring"}));
}

/// Calls of that function's records, by action as the counts file has it.
Strings counted(const Followed& followed, const std::string& function) {
  Strings found;
  for (const ProcessLog& log : followed.logs)
    for (const auto& call : log.calls())
      if (call["fn"] == function)
        found.push_back(std::to_string(log.count(call)) +
                        (log.counts.at(call["c"].get<size_t>()).action == 1
                             ? " observe "
                             : " nondeterministic ") +
                        call["variable"].get<std::string>());
  return found;
}

// As accelerate's clear_environment does.
TEST(SetVariables, GivenBackBeforeAnybodyAskedIsNoUndoing) {
  const Followed restored = follow({"unsetenv", "NCCL_ALGO", "setenv", "NCCL_ALGO", "Ring",
                                    "unsetenv", "NCCL_ALGO", "setenv", "NCCL_ALGO", "Ring"});
  EXPECT_EQ(counted(restored, "unsetenv"), Strings{"2 observe NCCL_ALGO"});
  EXPECT_EQ(counted(follow({"unsetenv", "NCCL_ALGO", "setenv", "NCCL_ALGO", "Ring", "unsetenv",
                            "NCCL_ALGO"}),
                    "unsetenv"),
            Strings{"2 nondeterministic NCCL_ALGO"});
  EXPECT_EQ(counted(follow({"unsetenv", "NCCL_ALGO", "print", "NCCL_ALGO", "setenv", "NCCL_ALGO",
                            "Ring"}),
                    "unsetenv"),
            Strings{"1 nondeterministic NCCL_ALGO"})
      << "somebody has read it";
  EXPECT_EQ(counted(follow({"unsetenv", "NCCL_ALGO", "child", "setenv", "NCCL_ALGO", "Ring"}),
                    "unsetenv"),
            Strings{"1 nondeterministic NCCL_ALGO"})
      << "a child's giving back is not its parent's";
}

// XLA reads its flags once.
TEST(SetVariables, UndoneAfterTheirOnlyReaderIsNoUndoing) {
  const Strings late = {"print", "XLA_FLAGS", "setenv", "XLA_FLAGS", "--x"};
  EXPECT_EQ(counted(follow(late), "setenv"), Strings{"1 observe XLA_FLAGS"});
  Strings second = late;
  second.insert(second.end(), {"print", "XLA_FLAGS"});
  EXPECT_EQ(counted(follow(second), "setenv"), Strings{"1 nondeterministic XLA_FLAGS"})
      << "another copy reads it";
  EXPECT_EQ(counted(follow({"print", "NCCL_ALGO", "setenv", "NCCL_ALGO", "Tree"}), "setenv"),
            Strings{"1 nondeterministic NCCL_ALGO"})
      << "read for each communicator";
}

TEST(SetVariables, WhoAskedForThemIsSaid) {
  const Followed asked = follow({"setenv", "NCCL_ALGO", "Tree", "print", "MKL_CBWR", "print",
                                 "NO_SUCH_NAME", "print", "MKL_CBWRX"});
  ASSERT_EQ(asked.logs.size(), 1u);
  Strings found;
  for (const auto& record : asked.logs[0].records)
    if (record["t"] == "env" && record.contains("read"))
      for (const auto& variable : record["read"])
        for (const std::string file : variable["by"])
          found.push_back(variable["name"].get<std::string>() + " by " + file);
  EXPECT_EQ(found, Strings{"MKL_CBWR by " + std::filesystem::path(program).filename().string()});
  EXPECT_TRUE(follow({"print", "MKL_CBWR"}).logs.empty()) << "to ask begins no log";
}

// vLLM and SGLang choose trees so, with as many channels in every run.
TEST(SetVariables, TreesWithPinnedChannelsStay) {
  const Environment equal = {{"NCCL_MIN_NCHANNELS", "8"}, {"NCCL_MAX_NCHANNELS", "8"}};
  for (const std::string own : {"allreduce:tree", "Tree", "Tree,Ring"}) {
    EXPECT_EQ(printed("NCCL_ALGO", enforce + equal + Environment{{"NCCL_ALGO", own}}), own);
    for (const Environment& other :
         {Environment{{"NCCL_MAX_NCHANNELS", "8"}},
          equal + Environment{{"NCCL_MIN_NCHANNELS", "4"}}, Environment{}})
      EXPECT_EQ(printed("NCCL_ALGO", enforce + other + Environment{{"NCCL_ALGO", own}}), "Ring");
  }
  for (const std::string own : {"allreduce:nvls", "^Tree", "allreduce:", "", "ring,nvls"})
    EXPECT_EQ(printed("NCCL_ALGO", enforce + equal + Environment{{"NCCL_ALGO", own}}), "Ring")
        << own;
  const Strings channels = {"setenv", "NCCL_MIN_NCHANNELS", "1",
                            "setenv", "NCCL_MAX_NCHANNELS", "1"};
  const Strings tree = {"setenv", "NCCL_ALGO", "allreduce:tree"};
  Strings before = channels;
  before.insert(before.end(), tree.begin(), tree.end());
  EXPECT_TRUE(follow(before).logs.empty()) << "set by the program itself";
  Strings after = tree;
  after.insert(after.end(), channels.begin(), channels.end());
  EXPECT_EQ(counted(follow(after), "setenv").at(0), "1 observe NCCL_ALGO")
      << "and the limits after it";
}

// From NCCL 2.31 on a protocol without a function's name leaves the functions that the algorithms
// do not name without any.
TEST(SetVariables, TheProtocolNamesTheFunctionsThatTheAlgorithmsName) {
  const Environment equal = {{"NCCL_MIN_NCHANNELS", "8"}, {"NCCL_MAX_NCHANNELS", "8"}};
  const auto protocol = [&](const Environment& own) {
    return printed("NCCL_PROTO", enforce + equal + own);
  };
  for (const auto& [algorithms, expected] : std::vector<std::pair<std::string, std::string>>{
           {"allreduce:tree", "allreduce:Simple,Simple"},
           {"AllReduce:tree,ring", "allreduce:Simple,Simple"},
           {"allreduce:tree;broadcast:ring", "allreduce:Simple;broadcast:Simple,Simple"},
           {"ring,tree;allreduce:tree", "Simple"},
           {"Ring", "Simple"},
           {"^NVLS", "Simple"}}) {
    EXPECT_EQ(protocol({{"NCCL_ALGO", algorithms}}), expected) << algorithms;
    EXPECT_EQ(protocol({{"NCCL_ALGO", algorithms}, {"NCCL_PROTO", "LL,LL128"}}), expected)
        << algorithms;
    EXPECT_EQ(protocol({{"NCCL_ALGO", algorithms}, {"NCCL_PROTO", "Simple"}}), expected)
        << algorithms;
    EXPECT_EQ(protocol({{"NCCL_ALGO", algorithms}, {"NCCL_PROTO", "LL"}}), "LL")
        << "the user's own";
  }
  EXPECT_EQ(protocol({{"NCCL_ALGO", "allreduce:nvls"}}), "Simple") << "which becomes Ring";
  EXPECT_EQ(protocol({{"NCCL_ALGO", "allreduce:tree"}, {"DETSHIM_DISABLE", "env:NCCL_PROTO"}}),
            "(unset)");
}

TEST(SetVariables, ACallThatChangesNothingIsNotRecorded) {
  EXPECT_TRUE(follow({"default", "NCCL_ALGO", "Tree", "unsetenv", "PYTORCH_TUNABLEOP_ENABLED",
                      "setenv", "NCCL_ALGORITHM", "Tree", "setenv", "NCCL", "Tree"})
                  .logs.empty());
  EXPECT_EQ(follow({"default", "PYTORCH_TUNABLEOP_ENABLED", "1"}).did("nondeterministic").size(),
            1u);
  const Followed repeated = follow({"setenv", "NCCL_ALGO", "Tree", "default", "NCCL_ALGO", "LL",
                                    "unsetenv", "NCCL_ALGO", "unsetenv", "NCCL_ALGO"});
  EXPECT_EQ(repeated.did("nondeterministic"),
            (Strings{"setenv NCCL_ALGO Tree", "unsetenv NCCL_ALGO "}));
  for (const auto& call : repeated.logs.at(0).calls())
    EXPECT_EQ(repeated.logs[0].count(call), 1u) << call;
}

TEST(SetVariables, EmptiedIsOneRecord) {
  EXPECT_EQ(follow({"clearenv"}).did("nondeterministic"), Strings{"clearenv all "});
  EXPECT_EQ(follow({"clearenv", "clearenv"}).did("nondeterministic"), Strings{"clearenv all "});
  const Followed again = follow({"clearenv", "setenv", "NCCL_ALGO", "Ring"});
  EXPECT_EQ(again.did("observe"), Strings{"setenv NCCL_ALGO Ring"});
}

// Servers that rewrite their title copy the environment, empty it, and set each variable again.
TEST(SetVariables, EmptiedAndAllSetAgainIsNothing) {
  const auto kinds = [](const std::string& between) {
    const TemporaryFolder scratch;
    const Result built = run({"gcc", "-w", "-D", "BETWEEN=" + between, "-o", "title",
                              PROGRAMS "sets_its_environment_again.c"},
                             {}, scratch.path());
    EXPECT_EQ(built.status, 0) << built.err;
    EXPECT_EQ(run({"./title"}, under_shim(scratch, enforce), scratch.path()).status, 0);
    const Result log = run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
    const auto document = nlohmann::json::parse(log.out);
    std::set<std::string> found;
    for (const auto& reason : document["reasons"])
      found.insert(reason["kind"]);
    return found;
  };
  EXPECT_FALSE(kinds("").contains("nondeterministic"));
  EXPECT_TRUE(kinds("getenv(\"NCCL_ALGO\")").contains("nondeterministic"));
}

TEST(SetVariables, ThatIsChangedByCallsNobodyWatchesIsComparedAtTheEnd) {
  const Environment disabled =
      enforce + Environment{{"DETSHIM_DISABLE", "setenv,putenv,unsetenv,clearenv"}};
  EXPECT_EQ(
      follow({"write", "NCCL_ALGO=Tree", "unsetenv", "MKL_CBWR"}, disabled).did("nondeterministic"),
      (Strings{"NCCL_ALGO Tree", "MKL_CBWR "}));
}

TEST(SetVariables, EditedInPlaceIsRecorded) {
  EXPECT_EQ(follow({"edit", "TF_CUDNN_DETERMINISTIC", "0"}).did("nondeterministic"),
            Strings{"TF_CUDNN_DETERMINISTIC 0"});
  EXPECT_EQ(follow({"edit", "MKL_CBWR", "OFF"}, enforce + Environment{{"MKL_CBWR", "AVX2"}})
                .did("nondeterministic"),
            Strings{"MKL_CBWR OFF"});
}

// bash and others keep an environment for those that they start.
TEST(SetVariables, InAnArrayOfTheProgramsOwnIsNoRecord) {
  EXPECT_TRUE(follow({"array"}).logs.empty());
  EXPECT_TRUE(follow({"array", "write", "NCCL_ALGO=Tree"}).logs.empty());
  EXPECT_EQ(follow({"array", "setenv", "NCCL_ALGO", "Tree"}).did("nondeterministic"),
            Strings{"setenv NCCL_ALGO Tree"});
}

TEST(SetVariables, ThatCannotBeReadAtTheEndDoesNoHarm) {
  EXPECT_EQ(follow({"dangling"}).status, 0);
  const Followed noted_too = follow({"setenv", "NCCL_ALGO", "Tree", "dangling"});
  EXPECT_EQ(noted_too.status, 0);
  EXPECT_EQ(noted_too.did("nondeterministic").size(), 1u);
  EXPECT_TRUE(noted_too.did("observe").empty()) << "what cannot be read is not called unset";
}

// A program that is given an environment of its own starts anew.
TEST(SetVariables, OfAChildIsSetAgain) {
  const Followed next = follow({"next", "print", "NCCL_ALGO", "print", "MKL_CBWR"});
  EXPECT_EQ(next.out, (Strings{"Ring", "AUTO"}));
  EXPECT_EQ(next.did("replace"), Strings{"NCCL_ALGO Tree"});
}

TEST(SetVariables, OfAShellsChildIsSetAgain) {
  const TemporaryFolder scratch;
  const std::string print = program + " print NCCL_ALGO";
  for (const std::string shell : {"sh", "bash"})
    EXPECT_EQ(run({shell, "-c", "export NCCL_ALGO=Tree; " + print + "; unset NCCL_ALGO; " + print},
                  under_shim(scratch, enforce))
                  .out,
              "Ring\nRing\n")
        << shell;
}

TEST(SetVariables, HasWhatIsLeftAloneNotedInEveryMode) {
  Environment values;
  for (const std::string& name : noted)
    values[name] = "7";
  for (const char* mode : {"enforce", "record", "observe"}) {
    const TemporaryFolder scratch;
    const Environment all = enforce + values + Environment{{"DETSHIM_MODE", mode}};
    EXPECT_EQ(run({SNIPPET_FOLDER "/getrandom", "plain"}, under_shim(scratch, all)).status, 0);
    const std::vector<ProcessLog> logs = read_log(scratch.log());
    ASSERT_FALSE(logs.empty()) << mode;
    Strings found;
    for (const auto& record : logs[0].records)
      if (record["t"] == "env")
        for (const auto& variable : record["noted"]) {
          found.push_back(variable["name"]);
          EXPECT_EQ(variable["value"], "7");
        }
    EXPECT_EQ(found, noted) << mode;
  }
  for (const std::string& name : noted)
    EXPECT_EQ(printed(name, enforce + values), "7");
}

TEST(SetVariables, OfTheUserMayBeLargeAndOddAndTheLogHoldsAll) {
  Environment values;
  for (const Row& row : rows)
    values[row.name] = "\"\n" + std::string(300, 'x') + row.bad;
  values["XLA_FLAGS"] = "--a=\"" + std::string(300, 'x') + "\"";
  const Followed all =
      follow({"print", "NCCL_ALGO"}, enforce + values + Environment{{"DETSHIM_MODE", "strict"}});
  EXPECT_EQ(all.out, Strings{"Ring"});
  ASSERT_EQ(all.logs.size(), 1u);
  std::vector<std::string> names;
  for (const auto& record : all.logs[0].records)
    if (record.contains("env"))
      for (const auto& change : record["env"])
        names.push_back(change["name"]);
  for (const Row& row : rows)
    EXPECT_TRUE(std::ranges::count(names, row.name) == 1) << row.name;
}

// TensorFlow itself is not needed for this: its library's name says that it is there.
TEST(SetVariables, ThatTensorFlowWouldNeedAndEnforceDoesNotForceAreSaid) {
  const TemporaryFolder folder;
  const std::filesystem::path library = folder.path() / "libtensorflow_framework.so.2";
  std::filesystem::copy_file(PLUGIN_LIBRARY, library);
  const std::filesystem::path driver = folder.path() / "libcuda.so.1";
  std::filesystem::copy_file(PLUGIN_LIBRARY, driver);
  const Strings orders = {"load", library, "load", driver};
  const Environment with_log = enforce + Environment{{"NCCL_ALGO", "Tree"}};
  EXPECT_EQ(follow(orders, with_log).did("nondeterministic"), Strings{"TF_DETERMINISTIC_OPS "});
  EXPECT_EQ(
      follow(orders, with_log + Environment{{"TF_DETERMINISTIC_OPS", "0"}}).did("nondeterministic"),
      Strings{"TF_DETERMINISTIC_OPS 0"});
  for (const Environment& good :
       {Environment{{"TF_DETERMINISTIC_OPS", "1"}}, Environment{{"DETSHIM_MODE", "strict"}},
        Environment{{"DETSHIM_MODE", "record"}},
        Environment{{"DETSHIM_DISABLE", "env:TF_DETERMINISTIC_OPS"}}})
    EXPECT_TRUE(follow(orders, with_log + good).did("nondeterministic").empty());
  EXPECT_TRUE(follow({"load", PLUGIN_LIBRARY}, with_log).did("nondeterministic").empty());
  EXPECT_TRUE(follow({"load", library}, with_log).did("nondeterministic").empty())
      << "no GPU, no kernels for it";
}

// What is known good in versions that are not the loaded one's is set, and said.
TEST(SetVariables, WhoseReaderIsInAnotherVersionAreSaid) {
  const TemporaryFolder folder;
  const std::filesystem::path packages = folder.path() / "site-packages";
  const Environment with_log = enforce + Environment{{"NCCL_ALGO", "Tree"}};
  for (const std::string version : {"0.99.0", "0.25.1"}) {
    std::filesystem::remove_all(packages);
    std::filesystem::create_directories(packages / "vllm");
    std::filesystem::create_directories(packages / ("vllm-" + version + ".dist-info"));
    const std::filesystem::path library = packages / "vllm/_C.abi3.so";
    std::filesystem::copy_file(PLUGIN_LIBRARY, library);
    const auto said = [&](const Environment& environment) {
      Strings found;
      for (const ProcessLog& log : follow({"load", library}, environment).logs)
        for (const auto& call : log.calls())
          if (call["why"] == "other_version")
            found.push_back(call["fn"].get<std::string>() + " " +
                            call["version"].get<std::string>() + " " +
                            call["known_good"].get<std::string>());
      return found;
    };
    EXPECT_EQ(said(with_log), version == "0.99.0"
                                  ? Strings{"VLLM_TRITON_FORCE_FIRST_CONFIG 0.99.0 0.24..0.33"}
                                  : Strings{});
    EXPECT_EQ(
        said(with_log + Environment{{"DETSHIM_DISABLE", "env:VLLM_TRITON_FORCE_FIRST_CONFIG"}}),
        Strings{});
    EXPECT_EQ(said(with_log + Environment{{"DETSHIM_MODE", "record"}}), Strings{});
  }
}

/// What the verdict says of a variable whose reader is of another version than those that are
/// known.
Strings left(const std::string& variable, const std::string& known, const std::string& version) {
  return {detshim::reason_text({.finding = detshim::Finding::setting_left,
                                .function = variable,
                                .detail = version,
                                .names = {known}})};
}

// What is installed in other versions alone is left, and a reason once it is loaded.
TEST(SetVariables, WhoseReaderIsInstalledInAnotherVersionAreLeft) {
  struct Case {
    const char *version, *leave, *printed;
    bool is_left;
  };
  const std::string variable = "VLLM_TRITON_FORCE_FIRST_CONFIG";
  for (const Case& tested :
       {Case{"0.99.0", nullptr, "(unset)", true}, Case{"0.25.1", nullptr, "1", false},
        Case{"0.20.1", nullptr, "(unset)", false}, Case{"0.99.0", "", "1", false}}) {
    const TemporaryFolder scratch;
    const std::filesystem::path packages = scratch.path() / "site-packages",
                                info = packages /
                                       (std::string("vllm-") + tested.version + ".dist-info");
    std::filesystem::create_directories(packages / "vllm");
    std::filesystem::create_directories(info);
    std::ofstream(info / "METADATA") << "Name: vllm\nVersion: " << tested.version << '\n';
    std::ofstream(info / "RECORD") << "";
    const std::filesystem::path library = packages / "vllm/_C.abi3.so";
    std::filesystem::copy_file(PLUGIN_LIBRARY, library);
    Environment environment = {{"PYTHONPATH", packages}};
    if (tested.leave != nullptr)
      environment["DETSHIM_LEAVE"] = tested.leave;
    const Result result =
        run(detshim_run(scratch, {"--seed", "42"}, {program, "print", variable, "load", library}),
            environment);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(lines(result.out).at(0), tested.printed) << tested.version;
    const auto log =
        nlohmann::json::parse(run({DETSHIM_COMMAND, "log", "--json", scratch.log()}).out);
    Strings said;
    for (const auto& reason : log["reasons"])
      if (reason["kind"] == "version")
        said.push_back(reason["text"]);
    EXPECT_EQ(said, tested.is_left ? left(variable, "0.24..0.33", "0.99.0") : Strings{});
    if (tested.is_left) {
      EXPECT_EQ(log["verdict"], "unverified");
    }
  }
}

// Transformer Engine ends a program that it has no deterministic kernel for.
TEST(SetVariables, ThatEndProgramsInLaterVersionsAreLeftThere) {
  const std::string variable = "NVTE_ALLOW_NONDETERMINISTIC_ALGO";
  for (const std::string version : {"2.14.1", "2.16.0", "2.20.2"}) {
    const TemporaryFolder scratch;
    const std::filesystem::path packages = scratch.path() / "site-packages",
                                info = packages / ("transformer_engine-" + version + ".dist-info"),
                                library = packages / "transformer_engine/libtransformer_engine.so";
    std::filesystem::create_directories(info);
    std::filesystem::create_directories(library.parent_path());
    std::ofstream(info / "METADATA") << "Name: transformer_engine\nVersion: " << version << '\n';
    std::ofstream(info / "RECORD") << "";
    std::filesystem::copy_file(PLUGIN_LIBRARY, library);
    const Strings command = {program, "print", variable, "load", library.string()};
    const bool is_left = version != "2.14.1";
    const Result result =
        run(detshim_run(scratch, {"--seed", "42"}, command), {{"PYTHONPATH", packages}});
    EXPECT_EQ(lines(result.out).at(0), is_left ? "(unset)" : "0") << version;
    const TemporaryFolder bare;
    EXPECT_EQ(lines(run(command, under_shim(bare, {{"DETSHIM_SEED", "42"}})).out).at(0), "(unset)")
        << "what is installed is not known";
    const auto log =
        nlohmann::json::parse(run({DETSHIM_COMMAND, "log", "--json", scratch.log()}).out);
    Strings said;
    for (const auto& reason : log["reasons"])
      if (reason["kind"] == "version")
        said.push_back(reason["text"]);
    EXPECT_EQ(said, is_left ? left(variable, "0.12..2.14", version) : Strings{});
  }
}

// One reader in a known version is enough: it may be the one that the program loads.
TEST(SetVariables, WithAKnownReaderBesideAnotherAreSet) {
  for (const bool has_known : {false, true}) {
    const TemporaryFolder scratch;
    const std::filesystem::path packages = scratch.path() / "site-packages";
    const auto install = [&](const std::string& name, const std::string& version) {
      const std::filesystem::path info = packages / (name + "-" + version + ".dist-info");
      std::filesystem::create_directories(info);
      std::ofstream(info / "METADATA") << "Name: " << name << "\nVersion: " << version << '\n';
      std::ofstream(info / "RECORD") << "";
    };
    install("jaxlib", "0.99.0");
    if (has_known)
      install("jax_plugins", "0.5.0");
    const Result result =
        run(detshim_run(scratch, {"--seed", "42"}, {program, "print", "XLA_FLAGS"}),
            {{"PYTHONPATH", packages}});
    EXPECT_EQ(lines(result.out).at(0) != "(unset)", has_known) << result.out << result.err;
  }
}

// ---- XLA_FLAGS ----

TEST(XlaFlags, AreAddedBehindTheUsersOwn) {
  const std::string own = "--xla_dump_to=/tmp/x  --xla_gpu_cuda_data_dir='/a b'";
  const Followed added = follow({"print", "XLA_FLAGS"}, enforce + Environment{{"XLA_FLAGS", own}});
  EXPECT_EQ(added.out, Strings{own + " " + ops + " " + level + " " + scatter});
  EXPECT_EQ(printed("XLA_FLAGS", enforce + Environment{{"XLA_FLAGS", own},
                                                       {"DETSHIM_DISABLE", "env:XLA_FLAGS"}}),
            own);
}

TEST(XlaFlags, AreAddedWhereOneIsMissing) {
  for (const std::string& own :
       {ops, level, scatter, std::string{"--xla_disable_hlo_passes='algsimp,cse'"}})
    EXPECT_EQ(printed("XLA_FLAGS", enforce + Environment{{"XLA_FLAGS", own}}),
              own + " " + ops + " " + level + " " + scatter);
}

// The last of a name counts, so what is added wins; the user's stays in front of it.
TEST(XlaFlags, OfTheUserThatSayTheContraryAreOutdoneAndRecorded) {
  const std::string own = "--xla_gpu_deterministic_ops=false --xla_gpu_autotune_level=4";
  const Followed added = follow({"print", "XLA_FLAGS"}, enforce + Environment{{"XLA_FLAGS", own}});
  EXPECT_EQ(added.out, Strings{own + " " + ops + " " + level + " " + scatter});
  EXPECT_EQ(added.did("replace"), Strings{"XLA_FLAGS " + own});
}

TEST(XlaFlags, MayBeVeryLong) {
  const std::string own = "--xla_dump_to=" + std::string(100000, 'x');
  EXPECT_EQ(printed("XLA_FLAGS", enforce + Environment{{"XLA_FLAGS", own}}),
            own + " " + ops + " " + level + " " + scatter);
}

TEST(XlaFlags, ThatNothingCanBeAddedToStayAndAreRecorded) {
  for (const std::string own : {"flags.txt", "--a b", "--a=\"b"}) {
    const Followed left = follow({"print", "XLA_FLAGS"}, enforce + Environment{{"XLA_FLAGS", own}});
    EXPECT_EQ(left.out, Strings{own});
    EXPECT_EQ(left.did("nondeterministic"), Strings{"XLA_FLAGS " + own});
  }
}

TEST(XlaFlags, ThatAProgramAddsToStayRepeatable) {
  EXPECT_TRUE(follow({"setenv", "XLA_FLAGS",
                      ops + " " + level + " --xla_force_host_platform_device_count=8"})
                  .logs.empty());
  const std::string own = "--xla_force_host_platform_device_count=8";
  EXPECT_EQ(follow({"setenv", "XLA_FLAGS", own}).did("nondeterministic"),
            Strings{"setenv XLA_FLAGS " + own});
}

} // namespace
