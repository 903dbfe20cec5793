// What frameworks seed and choose inside libraries of their own. Their wheels are too large to be
// installed for every run: where they are (DETSHIM_TEST_PYTHON names a Python that has them, or
// python3 does), they are tested themselves, and doubles of the mechanisms everywhere.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

namespace {

using Arguments = std::vector<std::string>;
using Lines = std::vector<std::string>;

const std::string here = FRAMEWORKS_FOLDER "/";

/// One run in that environment, and its logs.
struct Observed {
  Result result;
  std::vector<ProcessLog> logs;

  /// "function action", for all calls of a library, or of all.
  std::vector<std::string> calls(const std::string& library) const {
    std::vector<std::string> found;
    for (const ProcessLog& log : logs)
      for (const auto& call : log.calls())
        if (call["lib"] == library)
          found.push_back(call["fn"].get<std::string>() + " " + call["do"].get<std::string>());
    return found;
  }
};

Observed observe(const Arguments& command, Environment environment = {}) {
  environment.emplace("DETSHIM_SEED", "42");
  const TemporaryFolder scratch;
  Observed seen = {run(command, under_shim(scratch, environment)), {}};
  EXPECT_EQ(seen.result.status, 0) << seen.result.err;
  if (std::filesystem::exists(scratch.log()))
    seen.logs = read_log(scratch.log());
  return seen;
}

/// What `detshim run` gives, where addresses are the same in every run.
std::string drawn_by_command(const Arguments& command, const std::string& seed) {
  const TemporaryFolder scratch;
  Arguments whole = {DETSHIM_COMMAND,        "run", "--quiet", "--seed", seed, "--log",
                     scratch.log().string(), "--"};
  whole.insert(whole.end(), command.begin(), command.end());
  const Result result = run(whole);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

/// A Python that has the module, or an empty text.
std::string python_with(const std::string& module) {
  const char* named = std::getenv("DETSHIM_TEST_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  return run({python, "-c", "import " + module}).status == 0 ? python : "";
}

// ---- std::random_device in a library with cryptography in it, as TensorFlow's wheels once had it
// ----

class StaticRandomDevice : public testing::TestWithParam<const char*> {};

TEST_P(StaticRandomDevice, IsPinned) {
  const Arguments command = {STATIC_RANDOM_DEVICE, GetParam()};
  if (run(command).status != 0)
    GTEST_SKIP() << "this libstdc++ has no such token";
  EXPECT_NE(run(command).out, run(command).out);
  const Observed first = observe(command);
  EXPECT_EQ(observe(command).result.out, first.result.out);
  EXPECT_NE(observe(command, {{"DETSHIM_SEED", "43"}}).result.out, first.result.out);
  for (const std::string& call : first.calls("libc"))
    EXPECT_TRUE(call.ends_with(" pin")) << call;
}

INSTANTIATE_TEST_SUITE_P(
    All, StaticRandomDevice, testing::Values("/dev/urandom", "getentropy"), [](const auto& token) {
      return std::string(token.param).substr(std::string(token.param).rfind('/') + 1);
    });

TEST(StaticRandomDevices, AreToldFromKeysOfTheSameObject) {
  const Arguments command = {STATIC_RANDOM_DEVICE, "key"};
  const Observed first = observe(command);
  EXPECT_NE(observe(command).result.out, first.result.out);
  EXPECT_EQ(first.calls("libc"), std::vector<std::string>{"getrandom nondeterministic"});
}

// transformers imports it, where it is there, and so does whoever reads Parquet files.
TEST(Arrow, IsImportedWithoutAnyDoubt) {
  const std::string python = python_with("pyarrow");
  if (python.empty())
    GTEST_SKIP() << "not installed: pyarrow";
  for (const std::string& call : observe({python, "-c", "import random, pyarrow"}).calls("libc"))
    EXPECT_FALSE(call.ends_with(" nondeterministic")) << call;
}

// ---- settings, as a user sees them ----

// accelerate clears the environment for a moment, and gives it back.
TEST(Environments, ThatAreGivenBackAreNoReason) {
  const std::string script = contents(PROGRAMS "gives_its_environment_back.py");
  const TemporaryFolder scratch;
  const Arguments python = {"/usr/bin/python3", "-c"};
  const auto verdict_of = [&](const std::string& code, const std::string& log) {
    Environment environment = {{"DETSHIM_SEED", "42"},
                               {"DETSHIM_LOG", (scratch.path() / log).string()}};
    EXPECT_EQ(run({python[0], python[1], code}, under_shim(scratch, environment)).status, 0);
    const Result said = run({DETSHIM_COMMAND, "log", "--no-scan", (scratch.path() / log).string()});
    EXPECT_EQ(said.out.find(", 1 used by libraries") != std::string::npos, log == "a") << said.out;
    return nlohmann::json::parse(
        run({DETSHIM_COMMAND, "log", "--no-scan", "--json", (scratch.path() / log).string()}).out);
  };
  const auto changed = [](const nlohmann::json& document) {
    std::set<std::string> functions;
    for (const auto& reason : document["reasons"])
      if (reason["kind"] == "nondeterministic")
        functions.insert(reason["function"]);
    return functions;
  };
  EXPECT_EQ(changed(verdict_of(script, "a")), std::set<std::string>{});
  EXPECT_TRUE(
      changed(verdict_of("import os, random\nos.environ.clear()\n", "b")).contains("unsetenv"));
}

// ---- the seed of Rust's hash maps ----

TEST(Foldhash, TakesAClockOfItsOwn) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "told by code of x86-64";
#endif
  const Arguments command = {FOLDHASH_PROGRAM};
  EXPECT_NE(lines(run(command).out).at(0), lines(run(command).out).at(0));
  const auto first = lines(drawn_by_command(command, "42"));
  const auto second = lines(drawn_by_command(command, "42"));
  EXPECT_EQ(second.at(0), first.at(0));
  EXPECT_NE(second.at(1), first.at(1)) << "everybody else's clock is real";
  EXPECT_NE(lines(drawn_by_command(command, "43")).at(0), first.at(0));
}

TEST(Polars, RepeatsOnOneThreadAndItsThreadsAreNamed) {
  const std::string python = python_with("polars");
  if (python.empty())
    GTEST_SKIP() << "not installed: polars";
  const Arguments command = {"env", "POLARS_MAX_THREADS=1", python, here + "polars_unique.py"};
  EXPECT_NE(run(command).out, run(command).out);
  const std::string first = drawn_by_command(command, "42");
  EXPECT_EQ(drawn_by_command(command, "42"), first);
  EXPECT_NE(drawn_by_command(command, "43"), first);

  const auto runtimes = [&](const char* threads) {
    std::string files;
    for (const ProcessLog& log :
         observe({python, here + "polars_unique.py"}, {{"POLARS_MAX_THREADS", threads}}).logs)
      for (const auto& record : log.records)
        if (record["t"] == "runtime")
          files += std::filesystem::path(record["file"].get<std::string>()).filename().string();
    return files;
  };
  EXPECT_EQ(runtimes("1"), "");
  EXPECT_EQ(runtimes("2"), "_polars_runtime.abi3.so");
}

// ---- libraries whose workers race ----

/// The runtimes that the log names of a Python program, which starts workers of a library.
std::string runtimes_of(const std::string& way, const std::string& library,
                        const std::string& argument, const Environment& more = {}) {
  const std::string code = section(PROGRAMS "starts_workers_of_a_library.py", way);
  std::string files;
  for (const ProcessLog& log :
       observe({"/usr/bin/python3", "-c", code, library, argument}, more).logs)
    for (const auto& record : log.records)
      if (record["t"] == "runtime")
        files += std::filesystem::path(record["file"].get<std::string>()).filename().string();
  return files;
}

std::string runtimes_of_workers(const std::string& library, const std::string& number,
                                const Environment& more = {}) {
  return runtimes_of("by_itself", library, number, more);
}

TEST(Tbb, IsNamedOnceItHasStartedAWorker) {
  EXPECT_EQ(runtimes_of_workers(TBB, "0"), "");
  EXPECT_EQ(runtimes_of_workers(TBB, "1").substr(0, 9), "libtbb.so");
}

TEST(Tokenizers, AreNamedWhereTheyMayTrainOnSeveralThreads) {
  EXPECT_EQ(runtimes_of_workers(DUCKDB, "0"), "");
  EXPECT_EQ(runtimes_of_workers(DUCKDB, "1"), "_duckdb.abi3.so");
  EXPECT_EQ(runtimes_of_workers(TOKENIZERS, "2"), "tokenizers.abi3.so");
  EXPECT_EQ(runtimes_of_workers(TOKENIZERS, "1"), "");
  EXPECT_EQ(runtimes_of_workers(TOKENIZERS, "2", {{"TOKENIZERS_PARALLELISM", "false"}}), "");
  // Called from there, and by such a function.
  const auto from_transformers = [](const std::string& function) {
    return runtimes_of("by_a_function_of_transformers", TOKENIZERS, function);
  };
  EXPECT_EQ(from_transformers("_batch_encode_plus"), "");
  EXPECT_EQ(from_transformers("train_new_from_iterator"), "tokenizers.abi3.so");
}

// ---- MindSpore ----

/// The lines that begin with a word.
Lines lines_with(const std::string& word, const std::string& text) {
  Lines found;
  for (const std::string& line : lines(text))
    if (line.starts_with(word))
      found.push_back(line);
  return found;
}

TEST(MindSpore, KernelsAreDividedAlikeWhateverTheClockSays) {
  std::set<std::string> native;
  for (int i = 0; i < 10; ++i)
    for (const std::string& line : lines_with("divided", run({MINDSPORE_PROGRAM}).out))
      native.insert(line);
  EXPECT_GT(native.size(), 1U);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(lines_with("divided", observe({MINDSPORE_PROGRAM}).result.out),
              (Lines{"divided 32", "divided 32", "divided 32"}));
}

TEST(MindSpore, PartsThatShareAGeneratorRunInOrder) {
  std::set<Lines> native, pinned;
  std::set<std::string> others;
  for (int i = 0; i < 10; ++i) {
    native.insert(lines_with("drawn", run({MINDSPORE_PROGRAM}).out));
    const std::string out = observe({MINDSPORE_PROGRAM}).result.out;
    pinned.insert(lines_with("drawn", out));
    for (const std::string& line : lines_with("begins", out))
      others.insert(line);
  }
  EXPECT_GT(native.size(), 1U);
  ASSERT_EQ(pinned.size(), 1U);
  EXPECT_EQ(pinned.begin()->front(), "drawn 1103527590") << "the first part draws first";
  EXPECT_GT(others.size(), 1U) << "what shares none is the pool's";
}

TEST(MindSpore, IsSaidWhereItIsNotForced) {
  std::set<std::string> said;
  for (const std::string& call :
       observe({MINDSPORE_PROGRAM}, {{"DETSHIM_MODE", "observe"}}).calls("mindspore"))
    said.insert(call.substr(call.rfind(' ') + 1));
  EXPECT_EQ(said, std::set<std::string>{"nondeterministic"});
}

TEST(MindSpore, DropoutRepeats) {
  const std::string python = python_with("mindspore");
  if (python.empty())
    GTEST_SKIP() << "not installed: mindspore";
  const Arguments command = {python, here + "mindspore_dropout.py"};
  EXPECT_NE(run(command).out, run(command).out);
  const std::string first = drawn_by_command(command, "42");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(drawn_by_command(command, "42"), first);
  EXPECT_NE(drawn_by_command(command, "43"), first);
}

// ---- TensorFlow ----

TEST(TensorFlow, OperatorsAreToldToBeDeterministicWhereThereIsNoGpu) {
  const Arguments command = {TENSORFLOW_KERNELS};
  EXPECT_EQ(run(command).out, "parallel\ntime\n");
  const Observed forced = observe(command);
  EXPECT_EQ(forced.result.out, "serial\ntime\n");
  EXPECT_EQ(forced.calls("tensorflow"),
            std::vector<std::string>{"_ZN3tsl21OpDeterminismRequiredEv replace"});
  for (const Environment& left :
       {Environment{{"DETSHIM_DISABLE", "tensorflow"}}, Environment{{"DETSHIM_MODE", "record"}}})
    EXPECT_EQ(observe(command, left).result.out, "parallel\ntime\n");

  const TemporaryFolder folder;
  const std::filesystem::path driver = folder.path() / "libcuda.so.1";
  std::filesystem::copy_file(TENSORFLOW_FRAMEWORK, driver);
  const Observed with_gpu = observe({TENSORFLOW_KERNELS, driver.string()});
  EXPECT_EQ(with_gpu.result.out, "parallel\ntime\n");
  EXPECT_EQ(with_gpu.calls("tensorflow"),
            std::vector<std::string>{"_ZN3tsl21OpDeterminismRequiredEv nondeterministic"});
}

TEST(TensorFlow, ScatteredRowsAreAddedInOneOrder) {
  const std::string python = python_with("tensorflow");
  if (python.empty())
    GTEST_SKIP() << "not installed: tensorflow";
  const Arguments command = {python, here + "tensorflow_scatter.py"};
  const Observed first = observe(command);
  EXPECT_EQ(observe(command).result.out, first.result.out);
  EXPECT_EQ(observe(command).result.out, first.result.out);
  EXPECT_EQ(first.calls("tensorflow"),
            std::vector<std::string>{"_ZN3tsl21OpDeterminismRequiredEv replace"});
  EXPECT_TRUE(first.calls("env").empty());
}

} // namespace
