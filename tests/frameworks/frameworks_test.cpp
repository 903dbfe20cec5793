// Interpreters and runtimes, unmodified and unseeded: different without the library, repeated under it.
#include "run.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace {

using Arguments = std::vector<std::string>;

/// A program, and what must be there for it: commands that are run first and must succeed, or else the test
/// skips.
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
    {"processes_forkserver", {python, here + "processes.py", "forkserver"}, import("multiprocessing")},
    {"numpy", {python, here + "numpy_random.py"}, import("numpy")},
    {"torch", {python, here + "torch_random.py"}, import("torch")},
    {"perl",
     {"perl", "-e", "my %h = map { $_ => 1 } 'a'..'z'; print rand(), ' ', join('', keys %h), \"\\n\""},
     {"perl", "-e1"}},
    {"bash", {"bash", "-c", "echo $SRANDOM $SRANDOM"}, {"bash", "-c", "[ -n \"$SRANDOM\" ]"}},
    {"ruby_hash", {"ruby", "-e", "puts 'detshim'.hash"}, {"ruby", "-e", "1"}},
    {"php",
     {"php", "-r", "echo mt_rand(), ' ', random_int(0, 1000000000), ' ', bin2hex(random_bytes(8));"},
     {"php", "-r", ";"}},
    {"shuf", {"shuf", "-i", "1-1000", "-n", "8"}, {"shuf", "--version"}},
    {"sort", {"sh", "-c", "seq 1000 | sort -R | head -8"}, {"sort", "--version"}},
    {"mktemp", {"sh", "-c", "basename $(mktemp -u)"}, {"mktemp", "--version"}},
    {"boost", {BOOST_PROGRAM}, file(BOOST_PROGRAM)},
    {"rust_hashmap", {RUST_PROGRAM}, file(RUST_PROGRAM)},
};

std::string drawn(const Arguments& command, const std::string& seed) {
  const TemporaryFolder scratch;
  const Result result = run(command, under_shim(scratch, {{"DETSHIM_SEED", seed}}));
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

std::string why_not(const Arguments& needs) {
  const Result result = run(needs);
  return result.status == 0 ? "" : "not installed: " + needs.at(0) + " " + needs.back() + "\n" + result.err;
}

class Unseeded : public testing::TestWithParam<Framework> {};

TEST_P(Unseeded, RepeatsUnderTheLibraryAndNotWithoutIt) {
  if (const std::string missing = why_not(GetParam().needs); !missing.empty()) GTEST_SKIP() << missing;
  const Arguments& command = GetParam().command;
  EXPECT_NE(run(command).out, run(command).out);
  const std::string first = drawn(command, "42");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(drawn(command, "42"), first);
  EXPECT_NE(drawn(command, "43"), first);
}

INSTANTIATE_TEST_SUITE_P(All, Unseeded, testing::ValuesIn(frameworks),
                         [](const auto& tested) { return std::string{tested.param.name}; });

class TorchLoader : public testing::TestWithParam<const char*> {};

TEST_P(TorchLoader, HasFixedAndDistinctWorkers) {
  if (const std::string missing = why_not(import("torch, numpy")); !missing.empty()) GTEST_SKIP() << missing;
  const Arguments command = {python, here + "torch_loader.py", GetParam()};
  EXPECT_NE(run(command).out, run(command).out);
  const std::string first = drawn(command, "42");
  EXPECT_EQ(drawn(command, "42"), first);
  EXPECT_NE(drawn(command, "43"), first);

  std::set<std::string> values;
  for (const std::string& line : lines(first)) {
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 6; ++i) words >> word; // epoch E worker W index I
    while (words >> word) EXPECT_TRUE(values.insert(word).second) << "drawn twice: " << line;
  }
  EXPECT_EQ(values.size(), 2u * 8 * 5);
}

INSTANTIATE_TEST_SUITE_P(All, TorchLoader, testing::Values("fork", "spawn", "forkserver"),
                         [](const auto& tested) { return std::string{tested.param}; });

} // namespace
