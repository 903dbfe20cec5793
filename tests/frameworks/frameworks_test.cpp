// Interpreters and runtimes, unmodified and unseeded: different without the library, repeated under
// it.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace {

using Arguments = std::vector<std::string>;

/// A program, and what must be there for it: commands that are run first and must succeed, or else
/// the test skips.
struct Framework {
  const char* name;
  Arguments command;
  Arguments needs;
};

const std::string python =
    "/usr/bin/python3"; // the distribution's own, which its NumPy and PyTorch belong to
const std::string here = FRAMEWORKS_FOLDER "/";

Arguments import(const std::string& module) { return {python, "-c", "import " + module}; }
Arguments file(const std::string& path) { return {"test", "-x", path}; }

const std::vector<Framework> frameworks = {
    {"cpython", {python, here + "cpython.py"}, import("sys")},
    {"cpython_isolated", {python, "-I", here + "cpython.py"}, import("sys")},
    {"processes_fork", {python, here + "processes.py", "fork"}, import("multiprocessing")},
    {"processes_spawn", {python, here + "processes.py", "spawn"}, import("multiprocessing")},
    {"processes_forkserver",
     {python, here + "processes.py", "forkserver"},
     import("multiprocessing")},
    {"numpy", {python, here + "numpy_random.py"}, import("numpy")},
    {"torch", {python, here + "torch_random.py"}, import("torch")},
    {"tensorflow",
     {"python3", here + "tensorflow_random.py"},
     {"python3", "-c", "import tensorflow"}},
    {"perl",
     {"perl", "-e",
      "my %h = map { $_ => 1 } 'a'..'z'; print rand(), ' ', join('', keys %h), \"\\n\""},
     {"perl", "-e1"}},
    {"bash", {"bash", "-c", "echo $SRANDOM $SRANDOM"}, {"bash", "-c", "[ -n \"$SRANDOM\" ]"}},
    {"bash_random",
     {"bash", "-c", "echo $RANDOM $RANDOM; (echo $RANDOM); sh -c : ; bash -c 'echo $RANDOM'"},
     {"bash", "-c", "[ -n \"$RANDOM\" ]"}},
    {"ruby_hash", {"ruby", "-e", "puts 'detshim'.hash"}, {"ruby", "-e", "1"}},
    {"r", {"Rscript", "--vanilla", here + "r_random.R"}, {"Rscript", "--version"}},
    {"uuidgen", {"uuidgen"}, {"uuidgen", "--version"}},
    {"uuidgen_random", {"uuidgen", "--random"}, {"uuidgen", "--version"}},
    {"php",
     {"php", "-r",
      "echo mt_rand(), ' ', random_int(0, 1000000000), ' ', bin2hex(random_bytes(8));"},
     {"php", "-r", ";"}},
    {"shuf", {"shuf", "-i", "1-1000", "-n", "8"}, {"shuf", "--version"}},
    {"sort", {"sh", "-c", "seq 1000 | sort -R | head -8"}, {"sort", "--version"}},
    {"mktemp", {"sh", "-c", "basename $(mktemp -u)"}, {"mktemp", "--version"}},
    {"boost", {BOOST_PROGRAM}, file(BOOST_PROGRAM)},
    {"rust_hashmap", {RUST_PROGRAM}, file(RUST_PROGRAM)},
    {"swi_prolog",
     {"swipl", "-g", "X is random(1000000000), write(X), nl", "-t", "halt"},
     {"swipl", "--version"}},
    {"libbsd",
     {python, "-c",
      "import ctypes; bsd = ctypes.CDLL('libbsd.so.0'); print(bsd.arc4random(), "
      "bsd.arc4random_uniform(1000000000))"},
     {python, "-c", "import ctypes; ctypes.CDLL('libbsd.so.0')"}},
    {"qt5", {QT_PROGRAM, "libQt5Core.so.5"}, {QT_PROGRAM, "libQt5Core.so.5"}},
    {"zsh", {"zsh", "-fc", "echo $RANDOM $RANDOM"}, {"zsh", "--version"}},
    {"ksh", {"ksh93", "-c", "echo $RANDOM $RANDOM"}, {"ksh93", "-c", ":"}},
};

std::string drawn(const Arguments& command, const std::string& seed) {
  const TemporaryFolder scratch;
  // Those two seed $RANDOM from clocks and ids that are mixed.
  const Result result =
      run(command, under_shim(scratch, {{"DETSHIM_SEED", seed}, {"DETSHIM_FREEZE", "zsh,ksh93"}}));
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

std::string why_not(const Arguments& needs) {
  const Result result = run(needs);
  return result.status == 0
             ? ""
             : "not installed: " + needs.at(0) + " " + needs.back() + "\n" + result.err;
}

class Unseeded : public testing::TestWithParam<Framework> {};

TEST_P(Unseeded, RepeatsUnderTheLibraryAndNotWithoutIt) {
  if (const std::string missing = why_not(GetParam().needs); !missing.empty())
    GTEST_SKIP() << missing;
  const Arguments& command = GetParam().command;
  EXPECT_NE(run(command).out, run(command).out);
  const std::string first = drawn(command, "42");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(drawn(command, "42"), first);
  EXPECT_NE(drawn(command, "43"), first);
}

INSTANTIATE_TEST_SUITE_P(All, Unseeded, testing::ValuesIn(frameworks), [](const auto& tested) {
  return std::string{tested.param.name};
});

// What a program seeds itself gives the numbers that it gives without the library.
class Seeded : public testing::TestWithParam<Framework> {};

TEST_P(Seeded, IsAsWithoutTheLibrary) {
  if (const std::string missing = why_not(GetParam().needs); !missing.empty())
    GTEST_SKIP() << missing;
  EXPECT_EQ(drawn(GetParam().command, "42"), run(GetParam().command).out);
}

INSTANTIATE_TEST_SUITE_P(All, Seeded,
                         testing::Values(Framework{"r",
                                                   {"Rscript", "--vanilla", "-e",
                                                    "set.seed(3); cat(runif(2), sample(9), '\n')"},
                                                   {"Rscript", "--version"}}),
                         [](const auto& tested) {
                           return std::string{tested.param.name};
                         });

// A hook of each that is switched off leaves it as it is without the library.
TEST(Hooks, AreWhatRepeatsThem) {
  for (const auto& [hook, command] : std::vector<std::pair<std::string, Arguments>>{
           {"uuid_generate", {"uuidgen"}},
           {"GetRNGstate", {"Rscript", "--vanilla", "-e", "cat(runif(1))"}},
           {"fstat", {"swipl", "-g", "X is random(1000000000), write(X)", "-t", "halt"}},
           {"env:QT_NO_CPU_FEATURE", {QT_PROGRAM, "libQt5Core.so.5"}}}) {
    if (find_program(command[0]).empty())
      continue;
    const auto without = [&] {
      const TemporaryFolder scratch;
      return run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", hook}}))
          .out;
    };
    // What libuuid takes of the clock has 32 values: two runs may meet.
    std::set<std::string> outputs;
    for (int i = 0; i < 12 && outputs.size() < 2; ++i)
      outputs.insert(without());
    EXPECT_EQ(outputs.size(), 2u) << hook;
  }
}

// A UUID of the time cannot repeat, so it is named.
TEST(TimeUuids, AreRecordedAsUnfixed) {
  for (const auto& [function, command] : std::vector<std::pair<std::string, Arguments>>{
           {"uuid_generate_time", {"uuidgen", "--time"}},
           {"uuid_generate_time_safe", {python, "-c", "import uuid; uuid.uuid1()"}}}) {
    if (find_program(command[0]).empty())
      continue;
    const TemporaryFolder scratch;
    EXPECT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).status, 0);
    bool nondeterministic = false;
    for (const ProcessLog& process : read_log(scratch.log()))
      for (const auto& call : process.calls())
        nondeterministic |= call["fn"] == function && call["do"] == "nondeterministic";
    EXPECT_TRUE(nondeterministic) << function;
  }
}

// Of the node alone, which is an interface's address, two runs have the same; one that libuuid made
// up, where no interface has one, differs.
TEST(TimeUuids, AreOnlyObservedWhereTheNodeIsTakenOutOfThem) {
  const Arguments command = {
      python, "-c",
      "import os, uuid; os.urandom(4); print(uuid.getnode() >> 40 & 1, uuid.getnode())"};
  if (find_program(command[0]).empty())
    GTEST_SKIP() << "needs Python";
  const TemporaryFolder scratch;
  const std::string out = run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).out;
  const bool is_made_up = out.substr(0, 1) == "1";
  EXPECT_TRUE(is_made_up || run(command).out == out) << out;
  std::set<std::string> actions;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      if (call["fn"] == "uuid_generate_time_safe")
        actions.insert(call["do"]);
  EXPECT_EQ(actions, std::set<std::string>{is_made_up ? "nondeterministic" : "observe"});
}

// $RANDOM is bash's own business: that it is pinned makes no draw of the program that a script
// starts another one.
TEST(BashRandom, LeavesAWrapperTransparent) {
  const std::string code = "import os; print(os.urandom(8))";
  const std::string expected = drawn({python, "-c", code}, "42");
  EXPECT_EQ(drawn({"bash", "-c", "exec " + python + " -c '" + code + "'"}, "42"), expected);
  EXPECT_EQ(drawn({"bash", "-c", python + " -c '" + code + "'; true"}, "42"), expected);
}

TEST(BashRandom, IsNotSharedByShells) {
  const std::vector<std::string> values =
      lines(drawn({"bash", "-c",
                   "echo $RANDOM$RANDOM; (echo $RANDOM$RANDOM); bash -c 'echo $RANDOM$RANDOM'; "
                   "(echo $RANDOM$RANDOM)"},
                  "42"));
  EXPECT_EQ(values.size(), 4u);
  EXPECT_EQ(std::set<std::string>(values.begin(), values.end()).size(), values.size());
}

// What a program's own log says of it, by the command that its user asks.
nlohmann::json judged(const TemporaryFolder& scratch) {
  return nlohmann::json::parse(
      run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()}).out);
}

/// The files of which the verdict says that they seed themselves unseen.
std::vector<std::string> unseen(const TemporaryFolder& scratch) {
  std::vector<std::string> files;
  if (!std::filesystem::exists(scratch.log()))
    return files;
  const nlohmann::json judgement = judged(scratch);
  for (const auto& reason : judgement["reasons"])
    if (reason["kind"] == "runtime" && reason["verdict"] == "unverified")
      files.push_back(std::filesystem::path(reason["file"].get<std::string>()).filename().string());
  return files;
}

// It prints what it was seeded with: the time, in its script's name.
TEST(GawkSrand, KeepsTheRealClockAndIsNamed) {
  if (find_program("gawk").empty())
    GTEST_SKIP() << "gawk is not installed";
  const int64_t now = time(nullptr);
  EXPECT_GE(std::stoll(drawn({"gawk", "BEGIN { srand(); print srand() }"}, "42")), now);
  const TemporaryFolder scratch;
  run({"sh", "-c", "gawk 'BEGIN { srand(); print rand() }'; true"},
      under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(unseen(scratch), std::vector<std::string>{"gawk"});
  const TemporaryFolder other;
  run({"sh", "-c", "gawk 'BEGIN { print rand() }'; true"},
      under_shim(other, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(unseen(other), std::vector<std::string>{}) << "it repeats";
}

// libbsd's arc4random is as good as libc's.
TEST(Libbsd, IsNoWayPastTheHooks) {
  const std::string code = "import ctypes; bsd = ctypes.CDLL('libbsd.so.0'); bsd.arc4random()";
  if (run({python, "-c", code}).status != 0)
    GTEST_SKIP() << "libbsd is not installed";
  const TemporaryFolder scratch;
  run({python, "-c", code}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls("arc4random"))
      EXPECT_EQ(call["do"], "pin");
}

TEST(Devices, AreCharacterDevicesToWhoAsks) {
  const Arguments command = {
      python, "-c",
      "import os, stat; s = os.fstat(os.open('/dev/urandom', 0)); n = os.stat('/dev/urandom');"
      "print(stat.S_ISCHR(s.st_mode), s.st_rdev == n.st_rdev, s.st_ino == n.st_ino, s.st_size)"
      ";f = os.memfd_create('own'); print(stat.S_ISREG(os.fstat(f).st_mode))"};
  EXPECT_EQ(drawn(command, "42"), run(command).out);
}

/// A runtime that no hook can have repeat, a program in it, and the file that the verdict must
/// name.
struct Unseen {
  const char* name;
  Arguments command;
  const char* file;
};

class UnseenRuntime : public testing::TestWithParam<Unseen> {};

TEST_P(UnseenRuntime, MakesTheVerdictUnverified) {
  const auto& [name, command, file] = GetParam();
  if (run(command).status != 0)
    GTEST_SKIP() << "not installed: " << command[0] << " " << command[1];
  const TemporaryFolder scratch;
  EXPECT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).status, 0);
  EXPECT_EQ(unseen(scratch), std::vector<std::string>{file});
  ASSERT_TRUE(std::filesystem::exists(scratch.log()));
  EXPECT_NE(judged(scratch)["verdict"], "covered");
}

INSTANTIATE_TEST_SUITE_P(
    All, UnseenRuntime,
    testing::Values(
        Unseen{"java", {"java", "-XX:-UsePerfData", "-version"}, "libjvm.so"},
        Unseen{"erlang", {"erl", "-noshell", "-eval", "rand:uniform(9), halt()."}, "beam.smp"},
        Unseen{"ruby", {"ruby", "-e", "puts rand"}, "ruby"},
        Unseen{"tcl", {"tclsh", here + "tcl_random.tcl"}, "tclsh"},
        Unseen{"lua", {"lua5.4", "-e", "print(math.random(9))"}, "lua5.4"},
        Unseen{"mksh", {"mksh", "-c", "echo $RANDOM"}, "mksh"},
        Unseen{"clisp",
               {"clisp", "-q", "-norc", "-x", "(random 9 (make-random-state t))"},
               "lisp.run"},
        Unseen{"qt6", {QT_PROGRAM, "libQt6Core.so.6"}, "libQt6Core.so.6"},
        Unseen{"static_r", {STATIC_PROGRAM, "R"}, "static_runtime"}),
    [](const auto& tested) {
      return std::string{tested.param.name};
    });

// Its file's name has a version.
TEST(UnseenRuntimes, AreNamedWherePhpIs) {
  if (find_program("php").empty())
    GTEST_SKIP() << "php is not installed";
  for (const char* code : {"echo lcg_value();", "echo uniqid();"}) {
    const TemporaryFolder scratch;
    run({"php", "-r", code}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
    ASSERT_EQ(unseen(scratch).size(), 1U) << code;
    EXPECT_TRUE(unseen(scratch)[0].starts_with("php")) << code;
  }
}

// What has no such runtime, or not in use, is not named.
TEST(UnseenRuntimes, AreNamedWhereTheyAre) {
  for (const Arguments& command : std::vector<Arguments>{{"bash", "-c", "echo $SRANDOM"},
                                                         {QT_PROGRAM, "libQt5Core.so.5"},
                                                         {python, "-c", "import random"}}) {
    if (run(command).status != 0)
      continue;
    const TemporaryFolder scratch;
    run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
    EXPECT_EQ(unseen(scratch), std::vector<std::string>{}) << command[0] << " " << command[1];
  }
}

class TorchLoader : public testing::TestWithParam<const char*> {};

TEST_P(TorchLoader, HasFixedAndDistinctWorkers) {
  if (const std::string missing = why_not(import("torch, numpy")); !missing.empty())
    GTEST_SKIP() << missing;
  const Arguments command = {python, here + "torch_loader.py", GetParam()};
  EXPECT_NE(run(command).out, run(command).out);
  const std::string first = drawn(command, "42");
  EXPECT_EQ(drawn(command, "42"), first);
  EXPECT_NE(drawn(command, "43"), first);

  std::set<std::string> values;
  for (const std::string& line : lines(first)) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 6; ++i)
      words >> word; // epoch E worker W index I
    while (words >> word)
      EXPECT_TRUE(values.insert(word).second) << "drawn twice: " << line;
  }
  EXPECT_EQ(values.size(), 2u * 8 * 5);
}

INSTANTIATE_TEST_SUITE_P(All, TorchLoader, testing::Values("fork", "spawn", "forkserver"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

// Python's own way to change a variable, and the line that does it.
TEST(PythonEnvironment, ThatUndoesASettingIsRecordedWithItsLine) {
  const TemporaryFolder scratch;
  const Result result =
      run({python, here + "environment.py"}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(result.out, "Ring True\nTree None\n") << result.err;
  EXPECT_EQ(run({python, here + "environment.py"}).out, "None False\nTree None\n");
  std::vector<std::string> undone;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls()) {
      if (call["do"] != "nondeterministic")
        continue;
      std::string where;
      for (const std::string frame : call["py"])
        if (where.empty() && frame.find("environment.py") != std::string::npos)
          where = frame.substr(frame.rfind('/') + 1);
      undone.push_back(call["fn"].get<std::string>() + " " + call["variable"].get<std::string>() +
                       "=" + call["value"].get<std::string>() + " " + where);
    }
  EXPECT_EQ(undone, (std::vector<std::string>{"setenv NCCL_ALGO=Tree environment.py:7 undo",
                                              "unsetenv MKL_CBWR= environment.py:8 undo"}));
}

// How many threads a framework takes is left to it and to the user, and what the user said is
// noted.
TEST(Threads, OfPyTorchAreWhatTheyAreWithoutTheLibrary) {
  if (const std::string missing = why_not(import("torch")); !missing.empty())
    GTEST_SKIP() << missing;
  const Arguments command = {python, "-c", "import torch; print(torch.get_num_threads())"};
  for (const char* number : {"", "3"}) {
    Environment own = {{"DETSHIM_SEED", "42"}};
    if (*number != 0)
      own["OMP_NUM_THREADS"] = number;
    const TemporaryFolder scratch;
    const Result result = run(command, under_shim(scratch, own));
    own.erase("DETSHIM_SEED");
    EXPECT_EQ(result.out, run(command, own).out) << result.err;
    if (*number == 0)
      continue;
    EXPECT_EQ(result.out, std::string{number} + "\n");
    std::string noted;
    const std::vector<ProcessLog> logs = read_log(scratch.log());
    for (const auto& record : logs.at(0).records)
      if (record["t"] == "env")
        noted += record.value("noted", nlohmann::json::array()).dump();
    EXPECT_NE(noted.find("OMP_NUM_THREADS"), std::string::npos);
  }
}

// MKL says itself what it has read.
TEST(Mkl, KeepsToOnePathAndToItsThreads) {
  const Arguments command = {python, here + "mkl_settings.py"};
  const Result native = run(command);
  if (native.status == 77)
    GTEST_SKIP() << native.err;
  EXPECT_EQ(native.out, "reproducible False dynamic True\n") << native.err;
  const auto shimmed = [&](const Environment& more) {
    Environment environment = more;
    environment["DETSHIM_SEED"] = "42";
    const TemporaryFolder scratch;
    return run(command, under_shim(scratch, environment)).out;
  };
  EXPECT_EQ(shimmed({}), "reproducible True dynamic False\n");
  EXPECT_EQ(shimmed({{"MKL_DYNAMIC", "TRUE"}}), "reproducible True dynamic False\n");
  EXPECT_EQ(shimmed({{"DETSHIM_DISABLE", "env:MKL_CBWR"}}), "reproducible False dynamic False\n");
  EXPECT_EQ(shimmed({{"DETSHIM_DISABLE", "env:MKL_DYNAMIC"}}), "reproducible True dynamic True\n");
}

// XLA ends a program that has an unknown flag in XLA_FLAGS, so that it runs at all is the test.
TEST(Xla, TakesTheFlags) {
  const Arguments command = {"python3", "-c", "import jax; print(jax.numpy.arange(3).sum())"};
  if (const std::string missing = why_not({command[0], "-c", "import jax"}); !missing.empty())
    GTEST_SKIP() << missing;
  const TemporaryFolder scratch;
  const Result result = run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(result.out, "3\n") << result.err;
  EXPECT_NE(run(command, {{"XLA_FLAGS", "--xla_no_such_flag=true"}}).status, 0)
      << "it reads the variable";
}

// XLA adds one list of passes to the other: the user's own stays in force.
TEST(Xla, LacksThePassThatTheFlagsWouldSwitchOn) {
  const Arguments command = {"python3", "-c", contents(PROGRAMS "passes_of_xla.py")};
  if (const std::string missing = why_not({command[0], "-c", "import jax"}); !missing.empty())
    GTEST_SKIP() << missing;
  const Environment own = {{"XLA_FLAGS", "--xla_disable_hlo_passes=algsimp"}};
  EXPECT_EQ(run(command, own).out, "[True, False]\n");
  for (const char* more : {"", " --xla_gpu_autotune_level=0"}) {
    const TemporaryFolder scratch;
    const Result result = run(
        command,
        under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"XLA_FLAGS", own.at("XLA_FLAGS") + more}}));
    EXPECT_EQ(result.out, "[True, True]\n") << result.err;
  }
}

} // namespace
