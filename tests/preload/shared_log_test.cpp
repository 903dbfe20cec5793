// A process and those that it forks write in one pair of log files.
#include "log_files.h"
#include "run.h"

#include <algorithm>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

const Environment seed{{"DETSHIM_SEED", "42"}};

/// Runs a script of Python's, whose main process draws first if `parent_draws`.
void run_script(const TemporaryFolder& scratch, bool parent_draws, const std::string& script,
                int status = 0) {
  const std::string whole =
      std::string{"import os, sys\n"} + (parent_draws ? "os.urandom(8)\n" : "") + script;
  const Result result =
      run({"/usr/bin/python3", "-c", whole}, under_shim(scratch, seed), scratch.path());
  EXPECT_EQ(result.status, status) << result.err;
}

/// A child of `count`, one after the other: what it does.
std::string in_children(int count, const std::string& what) {
  return "for i in range(" + std::to_string(count) + "):\n  pid = os.fork()\n  if pid == 0:\n    " +
         what + "\n    os._exit(0)\n  os.waitpid(pid, 0)\n";
}

std::vector<fs::path> record_files(const TemporaryFolder& scratch) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator{scratch.log()})
    if (entry.path().extension() == ".jsonl")
      files.push_back(entry.path());
  return files;
}

/// What a listing of the folder by `du` counts.
uint64_t bytes_on_disk(const TemporaryFolder& scratch) {
  const Result result = run({"du", "-s", "-B1", scratch.log().string()});
  return std::stoull(result.out);
}

/// Its draws. That Python code asked for its process id is in the log, too.
uint64_t counted(const ProcessLog& process) {
  uint64_t sum = 0;
  for (const auto& call : process.calls())
    if (call["do"] == "pin")
      sum += process.count(call);
  return sum;
}

/// The process paths of those that drew; each must be there once, and have counted so many calls.
/// That the first one forks makes a log too.
std::set<std::string> paths(const std::vector<ProcessLog>& logs, uint64_t calls) {
  std::set<std::string> found;
  for (const ProcessLog& log : logs) {
    if (counted(log) == 0)
      continue;
    EXPECT_TRUE(found.insert(log.records.at(0).at("path")).second) << log.name;
    EXPECT_EQ(counted(log), calls) << log.name;
  }
  return found;
}

class SharedLogOf : public testing::TestWithParam<bool> {};

TEST_P(SharedLogOf, TakesAtMostTwoKilobytesForAChildThatDrawsOnce) {
  const auto size = [](int children) {
    const TemporaryFolder scratch;
    run_script(scratch, GetParam(), in_children(children, "os.urandom(8)"));
    EXPECT_EQ(record_files(scratch).size(), 1u);
    EXPECT_EQ(paths(read_log(scratch.log()), 1).size(),
              static_cast<size_t>(children) + (GetParam() ? 1 : 0));
    return bytes_on_disk(scratch);
  };
  EXPECT_LE(size(101) - size(1), 100u * 2048);
}

// What it wrote is there although it was killed right after the draw, and its line damages none of
// another's.
TEST_P(SharedLogOf, KeepsWhatAKilledChildDrew) {
  const TemporaryFolder scratch;
  run_script(scratch, GetParam(), in_children(50, "os.urandom(8); os.kill(os.getpid(), 9)"));
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  EXPECT_EQ(paths(logs, 1).size(), GetParam() ? 51u : 50u);
  const Result read = run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
  const auto document = nlohmann::json::parse(read.out);
  EXPECT_EQ(document.at("processes"), 51) << read.out;
}

TEST_P(SharedLogOf, IsWholeWhereManyChildrenWriteAtOnce) {
  const TemporaryFolder scratch;
  run_script(scratch, GetParam(), contents(PROGRAMS "many_children.py"));
  uint64_t drawn = 0;
  std::set<std::string> found;
  for (const ProcessLog& log : read_log(scratch.log())) {
    EXPECT_TRUE(found.insert(log.records.at(0).at("path")).second) << log.name;
    EXPECT_EQ(log.records.back().at("t"), "end") << log.name;
    drawn += counted(log);
  }
  EXPECT_EQ(found.size(), 129u);
  EXPECT_EQ(drawn, 64u * 101 + (GetParam() ? 1 : 0));
}

// The numbers of its descriptors stand for other files in the child.
TEST_P(SharedLogOf, IsNotWrittenIntoWhatTookItsDescriptors) {
  const TemporaryFolder scratch;
  const std::string victim = (scratch.path() / "victim").string();
  run_script(scratch, GetParam(),
             in_children(3, "os.urandom(8); os.closerange(3, 1000); "
                            "fds = [os.open('" +
                                victim +
                                "', os.O_RDWR | os.O_CREAT | os.O_APPEND) for k in range(100)]; "
                                "os.urandom(8)"));
  EXPECT_EQ(fs::file_size(victim), 0u);
  run_script(scratch, GetParam(),
             in_children(3, "os.closerange(3, 1000); "
                            "fds = [os.open('" +
                                victim +
                                "', os.O_RDWR | os.O_CREAT | os.O_APPEND) for k in range(100)]; "
                                "os.urandom(8)"));
  EXPECT_EQ(fs::file_size(victim), 0u);
  const Result read = run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
  EXPECT_EQ(nlohmann::json::parse(read.out).at("processes"), 4);
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  EXPECT_GE(std::ranges::count_if(logs,
                                  [](const ProcessLog& log) {
                                    return counted(log) > 0;
                                  }),
            GetParam() ? 4 : 3);
}

// Whether a hook sees that it does, or none.
TEST(SharedLog, IsOfProcessesThatGaveUpTheirRightsToo) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root";
  for (const char* way : {"os.setuid(65534)",
                          "libc.syscall(105 if os.uname().machine == 'x86_64' else 146, 65534)"}) {
    const TemporaryFolder scratch;
    run_script(scratch, true,
               "import ctypes\nlibc = ctypes.CDLL(None)\n" +
                   in_children(2, std::string{way} + "; os.urandom(8)"));
    const std::vector<ProcessLog> logs = read_log(scratch.log());
    EXPECT_EQ(logs.size(), 3u) << way;
    for (const ProcessLog& log : logs) {
      EXPECT_EQ(log.calls("getrandom").size(), 1u) << way << log.name;
      EXPECT_EQ(log.records.back().at("t"), "end") << way << log.name;
    }
  }
}

TEST_P(SharedLogOf, IsClosedByALineThatCountsItsProcesses) {
  const TemporaryFolder scratch;
  const std::string whole = std::string{"import os\n"} + (GetParam() ? "os.urandom(8)\n" : "") +
                            in_children(5, "os.urandom(8)");
  const Result result =
      run({"/usr/bin/python3", "-c", whole},
          under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}}), scratch.path());
  const std::string words = GetParam() ? "6 pinned in 6 processes" : "5 pinned in 5 processes";
  EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
}

// A limit on the size of its files, which those of others may have reached.
TEST_P(SharedLogOf, LeavesAChildWithALimitAFileOfItsOwn) {
  const TemporaryFolder scratch;
  run_script(scratch, GetParam(),
             in_children(1, "os.urandom(8)") +
                 in_children(2, "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, "
                                "(16384, 16384)); os.urandom(8)"));
  EXPECT_EQ(paths(read_log(scratch.log()), 1).size(), GetParam() ? 4u : 3u);
  EXPECT_EQ(record_files(scratch).size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(All, SharedLogOf, testing::Bool(), [](const auto& tested) {
  return tested.param ? "ParentAndChildren" : "ChildrenAlone";
});

} // namespace
