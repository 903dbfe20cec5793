// PyTorch as the distribution has it, and a C++ program on its libraries.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

using Arguments = std::vector<std::string>;

const std::string python = "/usr/bin/python3";
const std::string here = FRAMEWORKS_FOLDER "/";

std::string why_not(const Arguments& needs) {
  const Result result = run(needs);
  return result.status == 0
             ? ""
             : "not installed: " + needs.at(0) + " " + needs.back() + "\n" + result.err;
}

/// A run of a program under the library, and what its hooks of PyTorch wrote.
struct Observed {
  Result result;
  std::vector<std::string> calls; ///< "put_ nondeterministic torch_switches.py:12 x3",
                                  ///< "setBenchmarkCuDNN replace on>off"
  std::vector<std::string> frameworks;
};

/// at::Context's functions by their plain names.
std::string plain(const std::string& mangled) {
  for (const char* name :
       {"setDeterministicAlgorithms", "setBenchmarkCuDNN", "setDeterministicCuDNN",
        "set_current_seed", "getNonDeterministicRandom"})
    if (mangled.find(name) != std::string::npos)
      return name;
  return mangled;
}

/// "train.py:12"; empty outside of Python.
std::string users_line(const nlohmann::json& record) {
  if (!record.contains("user"))
    return "";
  const std::string frame = record["py"].at(record["user"].get<size_t>());
  return std::filesystem::path(frame.substr(0, frame.find(' '))).filename().string();
}

Observed observe(const Arguments& command, Environment environment = {}) {
  if (environment.count("DETSHIM_SEED") == 0 && environment.count("DETSHIM_MODE") == 0)
    environment["DETSHIM_SEED"] = "42";
  const TemporaryFolder scratch;
  Observed seen = {run(command, under_shim(scratch, environment)), {}, {}};
  if (!std::filesystem::exists(scratch.log()))
    return seen;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& record : process.records) {
      if (record["t"] == "framework")
        seen.frameworks.push_back(record["name"].get<std::string>() +
                                  (record["deterministic"].get<bool>() ? " deterministic by "
                                                                       : " not deterministic by ") +
                                  record["by"].get<std::string>());
      if (record["t"] != "call" || record["lib"] != "torch")
        continue;
      const std::string action = record["do"];
      if (record.contains("operator"))
        seen.calls.push_back(record["operator"].get<std::string>() + " " + action + " " +
                             users_line(record) + " x" + std::to_string(process.count(record)));
      else if (record.contains("requested"))
        seen.calls.push_back(plain(record["fn"]) + " " + action + " " +
                             record["requested"].get<std::string>() + ">" +
                             record["effective"].get<std::string>());
    }
  return seen;
}

class Torch : public testing::Test {
protected:
  void SetUp() override {
    if (const std::string missing = why_not({python, "-c", "import torch"}); !missing.empty())
      GTEST_SKIP() << missing;
  }
};

const Arguments switches = {python, here + "torch_switches.py"};
const Arguments alert = {python, here + "torch_alert.py"};
constexpr const char* native = "at first False False False\n"
                               "switched False False True\n"
                               "raised True\n";

TEST_F(Torch, IsSwitchedAndNamesItsOperators) {
  EXPECT_EQ(run(switches).out, native);
  const Observed seen = observe(switches);
  EXPECT_EQ(seen.result.out, "at first True True False\n"
                             "switched True True False\n"
                             "raised True\n") // where a program asks for errors itself
      << seen.result.err;
  EXPECT_EQ(seen.result.err.find("Warning"), std::string::npos) << seen.result.err;
  EXPECT_EQ(seen.calls, (std::vector<std::string>{"put_ nondeterministic torch_switches.py:13 x1",
                                                  "setDeterministicAlgorithms replace off>on",
                                                  "setBenchmarkCuDNN replace on>off",
                                                  "setDeterministicCuDNN replace off>on",
                                                  "put_ nondeterministic torch_switches.py:19 x3",
                                                  "setDeterministicAlgorithms observe on>on",
                                                  "put_ observe torch_switches.py:23 x1"}));
  EXPECT_EQ(seen.frameworks, std::vector<std::string>{"torch deterministic by detshim"});
}

TEST_F(Torch, OperatorsAreNamedInTheVerdict) {
  const TemporaryFolder scratch;
  run(alert, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  const Result log = run({DETSHIM_COMMAND, "log", "--no-scan", scratch.log()});
  EXPECT_NE(log.out.find("torch: put_ ran, which has no deterministic implementation"),
            std::string::npos)
      << log.out;
}

TEST_F(Torch, RaisesInStrict) {
  EXPECT_EQ(observe(alert).result.out, "[0.0, 1.0, 2.0, 0.0]\n");
  const Observed seen = observe(alert, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}});
  EXPECT_EQ(seen.result.out, "raised: put_\n") << seen.result.err;
  EXPECT_EQ(seen.calls, std::vector<std::string>{"put_ refuse torch_alert.py:5 x1"});
}

// An end of the program for a switch that the program has not turned.
TEST_F(Torch, CodeThatWouldEndTheProgramHearsWhatTheProgramSet) {
  const auto ending = [](const std::string& file, const Environment& environment) {
    const TemporaryFolder scratch;
    const Arguments command = {python, here + "torch_ending.py", scratch.path() / "packages", file};
    if (environment.empty())
      return std::vector<std::string>{run(command).out};
    const Result result = run(command, under_shim(scratch, environment));
    std::vector<std::string> found = {result.out};
    if (std::filesystem::exists(scratch.log()))
      for (const ProcessLog& process : read_log(scratch.log()))
        for (const auto& record : process.calls())
          if (record["why"] == "ends_without_fallback")
            found.push_back(record["do"]);
    return found;
  };
  const std::string ended = "True ended: nondeterministic atomics\n";
  const Environment enforced = {{"DETSHIM_SEED", "42"}};
  const std::string file = "transformer_engine/pytorch/ops/fused/grouped_mlp.py";
  EXPECT_EQ(ending(file, {}), std::vector<std::string>{"False ran\n" + ended});
  for (const std::string& spared :
       {file, std::string("flashinfer/cake_rmsnorm_train_backend/__init__.py")})
    EXPECT_EQ(ending(spared, enforced),
              (std::vector<std::string>{"True ran\n" + ended, "nondeterministic"}));
  EXPECT_EQ(ending(file, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}}),
            std::vector<std::string>{ended + ended});
  EXPECT_EQ(ending("transformer_engine/pytorch/attention.py", enforced),
            std::vector<std::string>{ended + ended})
      << "which has others to take";
}

TEST_F(Torch, IsOnlyObservedInObserve) {
  const Observed seen = observe(switches, {{"DETSHIM_MODE", "observe"}});
  EXPECT_EQ(seen.result.out, native) << seen.result.err;
  EXPECT_EQ(seen.calls.at(0), "put_ nondeterministic torch_switches.py:13 x1");
  EXPECT_EQ(
      std::count(seen.calls.begin(), seen.calls.end(), "setBenchmarkCuDNN nondeterministic on>on"),
      1);
  EXPECT_EQ(
      std::count(seen.frameworks.begin(), seen.frameworks.end(), "torch deterministic by detshim"),
      0);
}

TEST_F(Torch, IsLeftAloneWhereItIsSwitchedOff) {
  const Observed seen = observe(switches, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "torch"}});
  EXPECT_EQ(seen.result.out, native) << seen.result.err;
  EXPECT_EQ(seen.calls, std::vector<std::string>{});
  EXPECT_EQ(seen.frameworks, std::vector<std::string>{});
}

TEST_F(Torch, SeedsFromAClockGiveWay) {
  for (const char* clock : {"seconds", "nanoseconds"}) {
    const Arguments command = {python, here + "torch_seeds.py", clock};
    const Observed first = observe(command);
    EXPECT_EQ(observe(command).result.out, first.result.out) << clock;
    EXPECT_NE(observe(command, {{"DETSHIM_SEED", "43"}}).result.out, first.result.out) << clock;
    EXPECT_NE(observe(command, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "torch"}}).result.out,
              first.result.out)
        << clock;
    ASSERT_EQ(first.calls.size(), 1u);
    EXPECT_EQ(first.calls[0].rfind("set_current_seed pin ", 0), 0u) << first.calls[0];
    EXPECT_EQ(first.calls[0].substr(first.calls[0].find('>')), ">42");
  }
}

TEST_F(Torch, AFixedSeedIsThePrograms) {
  const Arguments command = {python, here + "torch_seeds.py", "fixed"};
  const Observed seen = observe(command);
  EXPECT_EQ(seen.result.out, run(command).out);
  EXPECT_EQ(seen.calls, std::vector<std::string>{"set_current_seed observe 42>42"});
}

TEST_F(Torch, AnOrdinaryTrainingScriptRepeats) {
  const Arguments command = {python, here + "torch_training.py"};
  EXPECT_NE(run(command).out, run(command).out);
  const Observed first = observe(command);
  EXPECT_FALSE(first.result.out.empty()) << first.result.err;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(observe(command).result.out, first.result.out);
  EXPECT_NE(observe(command, {{"DETSHIM_SEED", "43"}}).result.out, first.result.out);
  for (const std::string& call : first.calls)
    EXPECT_EQ(call.find("nondeterministic"), std::string::npos) << call;
}

class LibTorch : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(TORCH_PROGRAM))
      GTEST_SKIP() << "not installed: libtorch-dev";
  }
};

TEST_F(LibTorch, IsSwitchedLikePython) {
  const Arguments command = {TORCH_PROGRAM, "switches"};
  EXPECT_EQ(run(command).out, "deterministic 0 benchmark 0\n");
  const Observed seen = observe(command);
  EXPECT_EQ(seen.result.out, "deterministic 1 benchmark 0\n") << seen.result.err;
  EXPECT_EQ(seen.calls, std::vector<std::string>{"put_ nondeterministic  x1"});
  EXPECT_EQ(seen.frameworks, std::vector<std::string>{"torch deterministic by detshim"});
  EXPECT_EQ(observe(command, {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}}).result.out,
            "deterministic 1 benchmark 0\nraised\n");
  EXPECT_EQ(observe(command, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "torch"}}).result.out,
            "deterministic 0 benchmark 0\n");
}

TEST_F(LibTorch, IsSeededAndRepeats) {
  for (const char* what : {"clock", "unseeded"}) {
    const Arguments command = {TORCH_PROGRAM, what};
    const Observed first = observe(command);
    EXPECT_FALSE(first.result.out.empty()) << first.result.err;
    EXPECT_EQ(observe(command).result.out, first.result.out) << what;
    EXPECT_NE(observe(command, {{"DETSHIM_SEED", "43"}}).result.out, first.result.out) << what;
  }
}

// Two containers with one seed and one process id would meet in one object.
TEST_F(LibTorch, NamesOfSharedMemoryStayTheKernels) {
  const Arguments command = {TORCH_PROGRAM, "shared_memory"};
  const Observed first = observe(command);
  EXPECT_FALSE(first.result.out.empty()) << first.result.err;
  EXPECT_NE(observe(command).result.out, first.result.out);
}

} // namespace
