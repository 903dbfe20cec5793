// The log reader against whole, damaged and hostile logs (docs/LOG_FORMAT.md).
#include "files.h"
#include "log_reader/call_owner.h"
#include "log_reader/counts.h"
#include "log_reader/library_code.h"
#include "log_reader/lines.h"
#include "log_reader/log.h"
#include "log_reader/python_files.h"
#include "log_reader/record.h"
#include "log_reader/source_lines.h"
#include "log_reader/summary.h"
#include "support/wording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/stat.h>

namespace detshim {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

std::string start_line(const std::string& run = "20261121T003512-4711", int rank = 0,
                       const std::string& path = "0") {
  return R"({"t":"start","v":1,"detshim":"0.1.0","run":")" + run + R"(","pid":4711,"rank":)" +
         std::to_string(rank) + R"(,"path":")" + path +
         R"(","program":"/bin/train","args":["./train","--epochs","3"],"mode":"enforce","policy":"order",)"
         R"("seed":"18446744073709551615","seed_from":"DETSHIM_SEED",)"
         R"("env":[{"name":"CUBLAS_WORKSPACE_CONFIG","now":":4096:8"}]})"
         "\n";
}

std::string call_line(const std::string& function, const std::string& action,
                      const std::string& more = "") {
  return R"({"t":"call","n":1,"thread":"0","lib":"libc","fn":")" + function + R"(","do":")" +
         action + "\"" + more + "}\n";
}

const std::string end_line = R"({"t":"end","counts":{"pin":7}})"
                             "\n";

std::string little_endian(std::uint64_t number, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i)
    bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

std::string counts_header() {
  return "DETSHIMC" + little_endian(1, 4) + little_endian(16, 4) + std::string(48, '\0');
}

std::string counts_entry(std::uint64_t calls, Action action) {
  return little_endian(calls, 8) + little_endian(static_cast<std::uint64_t>(action), 4) +
         little_endian(0, 4);
}

struct Recorded {
  Call call;
  CallCount count;
};

/// All calls of a log, worst first, then by function.
std::vector<Recorded> calls(const Log& log) {
  std::vector<Recorded> result;
  each_record(log, [&result](const Process&, const Call& call, const CallCount& count) {
    result.push_back({call, count});
  });
  std::ranges::stable_sort(result, {}, [](const Recorded& one) {
    return std::pair(FoldedCalls::severity(one.call.action), one.call.function);
  });
  return result;
}

class LogReader : public testing::Test {
protected:
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  Log read(const std::string& lines) const {
    write("0-0-4711.jsonl", lines);
    return read_log(folder_);
  }

  const TemporaryFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path();
};

TEST_F(LogReader, ReadsAWholeProcess) {
  write("0-0-4711.counts", counts_header() + counts_entry(7, Action::pin));
  const Log log = read(
      start_line() +
      R"({"t":"library","lib":"curand","file":"/usr/lib/libcurand.so.10","version":"10.3.5"})"
      "\n" +
      call_line(
          "srand", "pin",
          R"(,"effective":"42","requested":"1763683","why":"a clock","at":"/bin/train+0x1a2b",)"
          R"("py":["train.py:12 main","train.py:30 <module>"],"c":0)") +
      end_line);
  ASSERT_EQ(log.processes.size(), 1U);
  EXPECT_EQ(log.run, "20261121T003512-4711");
  EXPECT_EQ(log.damaged_lines, 0U);
  EXPECT_FALSE(log.is_incomplete());

  const Process& process = log.processes[0];
  ASSERT_EQ(process.starts.size(), 1U);
  const Start& start = process.starts[0];
  EXPECT_EQ(start.seed, "18446744073709551615");
  EXPECT_EQ(start.seed_from, "DETSHIM_SEED");
  EXPECT_EQ(start.disabled, std::nullopt);
  EXPECT_EQ(start.args, (std::vector<std::string>{"./train", "--epochs", "3"}));
  ASSERT_EQ(start.environment.size(), 1U);
  EXPECT_EQ(start.environment[0].was, std::nullopt);

  ASSERT_EQ(process.libraries.size(), 1U);
  EXPECT_EQ(process.libraries[0].version, "10.3.5");

  EXPECT_EQ(process.calls, 1U);
  ASSERT_EQ(calls(log).size(), 1U);
  const auto [call, count] = calls(log)[0];
  EXPECT_EQ(call.action, Action::pin);
  EXPECT_EQ(count.calls, 7U);
  EXPECT_TRUE(count.is_exact);
  EXPECT_EQ(call.fields, (std::vector<Field>{{"effective", "42"}, {"requested", "1763683"}}))
      << "in the order written";
  EXPECT_EQ(call.python.frames.size(), 2U);

  ASSERT_TRUE(process.end);
  EXPECT_EQ(process.end->counts[static_cast<std::size_t>(Action::pin)], 7U);
}

TEST_F(LogReader, AMissingOrEmptyFolderIsAnEmptyLog) {
  EXPECT_TRUE(read_log(folder_ / "missing").files.empty());
  EXPECT_TRUE(read_log(folder_).files.empty());
}

TEST_F(LogReader, IgnoresATornLastLineAndSaysSo) {
  const Log log = read(start_line() + call_line("srand", "pin") + R"({"t":"call","n":2,"lib":"li)");
  EXPECT_EQ(log.torn_lines, 1U);
  EXPECT_EQ(log.damaged_lines, 0U);
  EXPECT_EQ(log.processes.at(0).calls, 1U);
}

TEST_F(LogReader, IgnoresALastLineWithoutNewlineEvenIfItLooksWhole) {
  std::string line = call_line("srand", "pin");
  line.pop_back();
  const Log log = read(start_line() + line);
  EXPECT_EQ(log.torn_lines, 1U);
  EXPECT_EQ(log.processes.at(0).calls, 0U);
}

TEST_F(LogReader, CountsDamagedLinesAndReadsOn) {
  const Log log =
      read(start_line() + "{\"t\":\"call\",\"fn\":\"sra\n" + "null\n[]\n7\n" + "\n" +
           "{\"fn\":\"x\"}\n" + call_line("srand", "no such action") + std::string(3, '\0') + "\n" +
           "{\"t\":\"call\\xff\"}\n" + call_line("rand", "pin"));
  EXPECT_EQ(log.damaged_lines, 8U) << "an empty line is not damaged";
  EXPECT_TRUE(log.is_incomplete());
  ASSERT_EQ(calls(log).size(), 1U);
  EXPECT_EQ(calls(log)[0].call.function, "rand");
}

TEST_F(LogReader, IgnoresUnknownKeysAndTypes) {
  const Log log =
      read(start_line() + "{\"t\":\"weather\",\"rain\":true}\n" +
           call_line("srand", "pin", R"(,"requested":"1","deep":{"a":[1,{"b":2}]},"flag":true)"));
  EXPECT_EQ(log.damaged_lines, 0U);
  ASSERT_EQ(calls(log).size(), 1U);
  EXPECT_EQ(calls(log)[0].call.fields, (std::vector<Field>{{"requested", "1"}}))
      << "a field is a text";
}

TEST_F(LogReader, RefusesANewerFormat) {
  const Log log =
      read(start_line() + "{\"t\":\"start\",\"v\":5,\"run\":{}}\n" + call_line("srand", "pin"));
  EXPECT_TRUE(log.processes.empty());
  ASSERT_EQ(log.other_format_files.size(), 1U);
  EXPECT_EQ(log.other_format_files[0].format, 5U);
  EXPECT_EQ(log.other_format_files[0].file, "0-0-4711.jsonl");
  EXPECT_TRUE(log.is_incomplete());
}

std::string further_start(int number, int pid, const std::string& path) {
  return "\n{\"t\":\"start\",\"v\":1,\"pid\":" + std::to_string(pid) + ",\"path\":\"" + path +
         "\",\"proc\":" + std::to_string(number) + "}\n";
}

std::string of_process(int number, const std::string& line) {
  return "\n" + line.substr(0, line.rfind('}')) + ",\"proc\":" + std::to_string(number) + "}\n";
}

// Two forked children write in their parent's file, at once.
TEST_F(LogReader, TellsTheProcessesInOneFileApart) {
  write("0-0-4711.counts", counts_header() + counts_entry(3, Action::pin) +
                               counts_entry(0, Action::none) + little_endian(4712, 8) +
                               little_endian(255, 4) + little_endian(0, 4) +
                               counts_entry(4, Action::pin) + counts_entry(0, Action::none) +
                               counts_entry(5, Action::pin));
  const Log log = read(
      start_line() + call_line("rand", "pin", R"(,"c":0)") + further_start(2, 4712, "0.1") +
      further_start(4, 4713, "0.2") + of_process(4, call_line("rand", "pin", R"(,"c":5)")) +
      of_process(2, call_line("rand", "pin", R"(,"c":3)")) +
      of_process(
          2,
          R"({"t":"modules","files":["/bin/train","/lib/libc.so.6"],"builds":["aa","bb"],"set":"1f"})") +
      end_line + of_process(2, R"({"t":"end","counts":{"pin":4}})") +
      of_process(4, R"({"t":"end","counts":{"pin":5},"modules":"1f"})"));
  EXPECT_EQ(log.damaged_lines, 0U);
  ASSERT_EQ(log.processes.size(), 3U);
  const std::uint64_t expected[] = {3, 4, 5};
  for (std::size_t i = 0; i < 3; ++i) {
    const Process& process = log.processes[i];
    EXPECT_EQ(process.path, i == 0 ? "0" : "0." + std::to_string(i));
    EXPECT_EQ(process.pid, 4711 + static_cast<std::int64_t>(i));
    EXPECT_EQ(process.file, "0-0-4711.jsonl");
    EXPECT_EQ(process.calls, 1U);
    EXPECT_TRUE(process.end);
    ASSERT_EQ(process.starts.size(), 1U);
    EXPECT_EQ(process.starts[0].program, "/bin/train");
    EXPECT_EQ(process.starts[0].environment.size(), i == 0 ? 1U : 0U);
    EXPECT_EQ(std::distance(process.modules.begin(), process.modules.end()), i == 0 ? 0 : 2);
  }
  std::size_t at = 0;
  each_record(log, [&](const Process& process, const Call&, const CallCount& count) {
    const std::size_t as_written[] = {0, 2, 1};
    const std::size_t number = as_written[at++];
    EXPECT_EQ(process.path, log.processes.at(number).path);
    EXPECT_EQ(process.pid, log.processes.at(number).pid);
    EXPECT_EQ(count.calls, expected[number]);
  });
  EXPECT_EQ(at, 3U);
  EXPECT_EQ(summarise(log).total(Action::pin).calls, 12U);
  EXPECT_TRUE(summarise(log).without_end.empty());
}

// One of them was killed within a line: the next line is another's, and whole.
TEST_F(LogReader, OfAKilledProcessInASharedFileLosesItsOwnLineAlone) {
  const std::string cut = of_process(2, call_line("rand", "pin"));
  const Log log = read(start_line() + further_start(2, 4712, "0.1") + cut.substr(0, 30) +
                       of_process(4, call_line("srand", "pin")) + end_line);
  EXPECT_EQ(log.damaged_lines, 1U);
  ASSERT_EQ(log.processes.size(), 3U);
  EXPECT_TRUE(log.processes[0].starts.empty())
      << "the start of process 4 is lost: it is there all the same";
  EXPECT_EQ(log.processes[0].calls, 1U);
  EXPECT_FALSE(log.processes[2].end)
      << "it did not come to its end, whatever its file's own process did";
}

TEST_F(LogReader, RefusesANewerFormatOfAFurtherProcess) {
  const Log log = read(start_line() + "{\"t\":\"start\",\"v\":5,\"proc\":2}\n");
  ASSERT_EQ(log.other_format_files.size(), 1U);
}

TEST_F(LogReader, AStartWithoutAVersionIsDamaged) {
  const Log log =
      read("{\"t\":\"start\",\"v\":\"1\"}\n{\"t\":\"start\",\"v\":-1}\n{\"t\":\"start\"}\n");
  EXPECT_EQ(log.damaged_lines, 3U);
  EXPECT_TRUE(log.processes.at(0).starts.empty());
}

TEST_F(LogReader, TakesTheProcessFromTheFileNameWhereTheStartIsLost) {
  write("3-0.2.1-99.jsonl", call_line("rand", "pin"));
  const Log log = read_log(folder_);
  ASSERT_EQ(log.processes.size(), 1U);
  EXPECT_EQ(log.processes[0].rank, 3);
  EXPECT_EQ(log.processes[0].path, "0.2.1");
  EXPECT_EQ(log.processes[0].pid, 99);
}

TEST_F(LogReader, StrangeFileNamesDoNoHarm) {
  for (const char* name : {"x.jsonl", "-.jsonl", "--.jsonl", "99999999999999999999999-0-1.jsonl",
                           "a-b-c.jsonl", ".jsonl"})
    write(name, call_line("rand", "pin"));
  std::filesystem::create_directory(folder_ / "0-0-2.jsonl");
  ASSERT_EQ(::mkfifo((folder_ / "0-0-3.jsonl").c_str(), 0600), 0);
  const Log log = read_log(folder_);
  EXPECT_EQ(log.processes.size(), 5U);
  EXPECT_EQ(log.unreadable_files, (std::vector<std::string>{"0-0-2.jsonl", "0-0-3.jsonl"}));
}

TEST_F(LogReader, AnExecKeepsTheProcess) {
  const Log log = read(start_line() + call_line("rand", "pin") + start_line() +
                       call_line("srand", "pin") + end_line);
  ASSERT_EQ(log.processes.size(), 1U);
  EXPECT_EQ(log.processes[0].starts.size(), 2U);
  EXPECT_EQ(log.processes[0].calls, 2U);
  EXPECT_TRUE(log.processes[0].end);
}

TEST_F(LogReader, AnExecAfterAnEndRecordIsAProcessWithoutEnd) {
  EXPECT_FALSE(read(start_line() + end_line + start_line()).processes.at(0).end);
}

TEST_F(LogReader, ReadsTheNewestRunAndNamesTheOthers) {
  write("0-0-1.jsonl", start_line("20250101T000000-1") + "damaged\n");
  write("0-0-2.jsonl", start_line("20260101T000000-2"));
  write("0-0-3.jsonl", start_line("20260101T000000-2", 1));
  write("0-0-4.jsonl", start_line("20240101T000000-4"));
  const Log newest = read_log(folder_);
  EXPECT_EQ(newest.run, "20260101T000000-2");
  EXPECT_EQ(newest.processes.size(), 2U);
  EXPECT_EQ(newest.other_runs,
            (std::vector<std::string>{"20250101T000000-1", "20240101T000000-4"}));
  EXPECT_EQ(newest.damaged_lines, 0U) << "another run's damage is not this one's";

  const Log chosen = read_log(folder_, "20250101T000000-1");
  EXPECT_EQ(chosen.processes.size(), 1U);
  EXPECT_EQ(chosen.damaged_lines, 1U);
}

TEST_F(LogReader, TwoRunsInOneFileAreTwoProcesses) {
  const Log log = read(start_line("a") + call_line("rand", "pin") + start_line("b") +
                       call_line("srand", "pin"));
  ASSERT_EQ(log.processes.size(), 1U);
  EXPECT_EQ(log.run, "b");
  ASSERT_EQ(calls(log).size(), 1U);
  EXPECT_EQ(calls(log)[0].call.function, "srand");
}

TEST_F(LogReader, AProcessBesideOneWithoutAStartIsOfTheRunThatFollows) {
  write("0-0-4711.jsonl", call_line("rand", "pin", R"(,"proc":1)") + "damaged\n" +
                              start_line("r1") + call_line("rand", "pin", R"(,"proc":1)") +
                              start_line("r2"));
  for (const auto& [run, records] : {std::pair("r1", 2U), std::pair("r2", 0U)}) {
    const Log log = read_log(folder_, run);
    std::uint64_t said = 0;
    for (const Process& process : log.processes)
      said += process.calls;
    EXPECT_EQ(said, records) << run;
    EXPECT_EQ(calls(log).size(), records) << run;
  }
}

TEST_F(LogReader, OrdersProcessesByRankAndPath) {
  for (const char* path : {"0.10", "0.2", "0", "0.2.1"})
    write(std::string("0-") + path + "-1.jsonl", start_line("r", 0, path));
  write("1-0-1.jsonl", start_line("r", 1, "0"));
  std::string order;
  for (const Process& process : read_log(folder_).processes)
    order += process.path + " ";
  EXPECT_EQ(order, "0 0.2 0.2.1 0.10 0 ");
}

TEST_F(LogReader, APlaceThatItsOwnFramesDoNotHoldIsDamaged) {
  for (const std::string user : {"0", "1"}) {
    const Log log = read(
        start_line() + R"({"t":"clock","at":"/bin/python3+0x1","py":["train.py:3 main"],"user":)" +
        user + "}\n");
    EXPECT_EQ(log.damaged_lines, user == "0" ? 0U : 1U);
    EXPECT_EQ(log.processes[0].user_places.size(), user == "0" ? 1U : 0U);
  }
}

TEST_F(LogReader, WithoutCountsARecordIsOneCallAtLeast) {
  const std::string lines =
      start_line() + call_line("rand", "pin", R"(,"c":0)") + call_line("srand", "pin");
  const std::string good = counts_header() + counts_entry(5, Action::pin);
  for (const std::string& bytes :
       {std::string(), good.substr(0, 63), good.substr(0, 64), good.substr(0, 79), "X" + good,
        "DETSHIMC" + little_endian(2, 4) + good.substr(12),
        "DETSHIMC" + little_endian(1, 4) + little_endian(32, 4)}) {
    write("0-0-4711.counts", bytes);
    const Log log = read(lines);
    EXPECT_EQ(calls(log).size(), 2U);
    for (const auto& [call, count] : calls(log)) {
      EXPECT_EQ(count.calls, 1U);
      EXPECT_FALSE(count.is_exact);
    }
  }
}

TEST_F(LogReader, CountsBelongToTheirRecordAlone) {
  write("0-0-4711.counts",
        counts_header() + counts_entry(5, Action::pin) + counts_entry(0, Action::pin) +
            counts_entry(9, Action::nondeterministic) +
            counts_entry(largest, Action::nondeterministic) +
            counts_entry(4, static_cast<Action>(77)) + counts_entry(3, Action::none));
  const Log log = read(
      start_line() + call_line("a", "pin", R"(,"c":0)") + call_line("twice", "pin", R"(,"c":0)") +
      call_line("unreturned", "pin", R"(,"c":1)") + call_line("mismatched", "pin", R"(,"c":2)") +
      call_line("far", "pin", R"(,"c":18446744073709551615)") +
      call_line("odd", "pin", R"(,"c":-1)"));
  const Process& process = log.processes.at(0);
  EXPECT_EQ(calls(log).size(), 6U);
  for (const auto& [call, count] : calls(log)) {
    EXPECT_EQ(count.calls, call.function == "a" ? 5U : 1U) << call.function;
    EXPECT_EQ(count.is_exact, call.function == "a") << call.function;
  }
  EXPECT_EQ(process.unrecorded[static_cast<std::size_t>(Action::nondeterministic)], largest)
      << "sums do not wrap";
  EXPECT_EQ(process.unrecorded[static_cast<std::size_t>(Action::pin)], 0U);
}

TEST_F(LogReader, SurvivesDeepNestingAndHugeNumbers) {
  const std::string deep = std::string(8000, '[') + std::string(8000, ']');
  const Log log = read(
      start_line() + call_line("a", "pin", ",\"x\":" + deep) + std::string(9000, '[') + "\n" +
      call_line("b", "pin", R"(,"n":99999999999999999999999999)") +
      call_line("c", "pin", R"(,"x":1e999)") +
      "{\"t\":\"start\",\"v\":1,\"rank\":1e300,\"pid\":18446744073709551615,\"args\":[1,{},\"x\"],"
      "\"env\":[1,{\"name\":2}]}\n");
  // A line that nests deeper, or holds a number greater, than any reader must bear is damaged.
  EXPECT_LE(log.damaged_lines, 4U);
  EXPECT_FALSE(log.processes.empty());
  EXPECT_EQ(log.processes.size(), 2U) << "the second start record can be read, and names no run";
}

TEST_F(LogReader, SurvivesALineThatNeverEnds) {
  const Log log = read(start_line() + std::string(5'000'000, 'x') + "\n" +
                       call_line("rand", "pin") + std::string(1'000'000, 'y'));
  EXPECT_EQ(log.damaged_lines, 1U);
  EXPECT_EQ(log.torn_lines, 1U);
  EXPECT_EQ(log.processes.at(0).calls, 1U);
}

TEST_F(LogReader, SurvivesEveryTruncation) {
  const std::string whole =
      start_line() +
      call_line("srand", "pin", R"(,"requested":"1","effective":"2","py":["a.py:1 f"],"c":0)") +
      call_line("rand", "nondeterministic", R"(,"why":"\u001b[31m…","at":"/bin/x+0x10","c":1)") +
      end_line;
  const std::string counts =
      counts_header() + counts_entry(5, Action::pin) + counts_entry(6, Action::nondeterministic);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    write("0-0-4711.counts", counts.substr(0, length * counts.size() / whole.size()));
    const Log log = read(whole.substr(0, length));
    EXPECT_EQ(log.damaged_lines, 0U) << length;
    EXPECT_EQ(log.torn_lines, length == 0 || whole[length - 1] == '\n' ? 0U : 1U) << length;
    summarise(log);
  }
}

TEST_F(LogReader, SurvivesRandomDamage) {
  const std::string whole =
      start_line() + call_line("srand", "pin", R"(,"requested":"1","effective":"2","c":0)") +
      call_line("rand", "nondeterministic", R"(,"why":"w","at":"/bin/x+0x10","c":1)") + end_line;
  const std::string counts =
      counts_header() + counts_entry(5, Action::pin) + counts_entry(6, Action::nondeterministic);
  std::mt19937 generator(7);
  const auto damage = [&generator](std::string bytes) {
    for (int i = 0; i < 6; ++i)
      bytes[generator() % bytes.size()] = static_cast<char>(generator());
    return bytes;
  };
  for (int i = 0; i < 600; ++i) {
    write("0-0-4711.counts", damage(counts));
    summarise(read(damage(whole)));
  }
}

TEST_F(LogReader, SummaryIsWorstFirstAndFolded) {
  write("0-0-4711.counts", counts_header() + counts_entry(2, Action::pin) +
                               counts_entry(3, Action::pin) +
                               counts_entry(1, Action::nondeterministic));
  const Log log =
      read(start_line() +
           call_line("srand", "pin", R"(,"requested":"1","effective":"2","at":"/x+0x1","c":0)") +
           call_line("srand", "pin", R"(,"requested":"1","effective":"2","at":"/x+0x2","c":1)") +
           call_line("atomicAdd", "nondeterministic", R"(,"why":"w","at":"/x+0x3","c":2)") +
           call_line("setting", "replace") + call_line("entropy", "observe"));
  const Summary summary = summarise(log);
  std::string order;
  for (const SymbolSummary& symbol : summary.symbols)
    order += symbol.function + " ";
  EXPECT_EQ(order, "atomicAdd setting srand entropy ");
  const SymbolSummary& srand = summary.symbols.at(2);
  EXPECT_EQ(srand.count.calls, 5U);
  EXPECT_TRUE(srand.count.is_exact);
  EXPECT_EQ(srand.examples.size(), 1U);
  ASSERT_EQ(srand.places.size(), 2U);
  EXPECT_EQ(srand.places[0].at, "/x+0x2") << "most calls first";
  EXPECT_FALSE(summary.total(Action::replace).is_exact);
  EXPECT_EQ(summary.without_end.size(), 1U);
  EXPECT_EQ(summary.threads, 1U);
}

TEST_F(LogReader, FramesWithoutAPathAreInTheFileOfTheOneBefore) {
  const Log log =
      read(start_line() +
           call_line("rand", "pin", R"(,"at":"/x+0x1","frames":["+0x2","/y+0x3","+0x4"])") +
           call_line("rand", "pin", R"(,"at":"/x+0x1","frames":["+0x2","/y+0x3","+0x5"])") +
           call_line("rand", "pin", R"(,"at":"?","frames":["+0x2","",7])"));
  const Summary summary = summarise(log);
  ASSERT_EQ(summary.symbols.size(), 1U);
  std::set<std::vector<std::string>> frames;
  for (const CallPlace& place : summary.symbols[0].places)
    frames.insert(place.frames);
  EXPECT_EQ(frames,
            (std::set<std::vector<std::string>>{
                {"/x+0x2", "/y+0x3", "/y+0x4"}, {"/x+0x2", "/y+0x3", "/y+0x5"}, {"?+0x2", ""}}));
}

// What is kept in memory must not grow with the records.
TEST_F(LogReader, KeepsFewValuesOfMany) {
  std::string lines = start_line();
  std::string counts = counts_header();
  constexpr std::uint64_t many = 5000;
  for (std::uint64_t i = 0; i < many; ++i) {
    lines += call_line("srand", "pin",
                       ",\"requested\":\"" + std::to_string(i) + R"(","at":"/x+0x)" +
                           std::to_string(i % 3) + R"(","c":)" + std::to_string(i));
    counts += counts_entry(i == 4321 ? 9 : 1, Action::pin);
  }
  write("0-0-4711.counts", counts);
  const Log log = read(lines + end_line);
  const Summary summary = summarise(log);
  const SymbolSummary& srand = summary.symbols.at(0);
  EXPECT_EQ(srand.count.calls, many + 8);
  EXPECT_TRUE(srand.count.is_exact);
  EXPECT_EQ(srand.places.size(), 3U);
  EXPECT_LT(srand.examples.size(), 1000U);
  EXPECT_EQ(srand.examples.size() + srand.examples_left_out, many);
  EXPECT_EQ(srand.examples[0].fields[0].value, "4321") << "those of the most calls are kept";
  const std::vector<Recorded> all = calls(log);
  ASSERT_EQ(all.size(), many) << "and every record can be read again";
  for (std::uint64_t i = 0; i < many; ++i) {
    EXPECT_EQ(all[i].call.fields[0].value, std::to_string(i));
    EXPECT_EQ(all[i].count.calls, i == 4321 ? 9U : 1U);
  }
}

// Of each process some values are left out, and more where the two are put together.
TEST_F(LogReader, CountsTheValuesThatItLeavesOutOfAllProcesses) {
  constexpr std::size_t many = 2000;
  for (const char* process : {"1", "2"}) {
    std::string lines = start_line("r", 0, std::string("0.") + process);
    for (std::size_t i = 0; i < many; ++i)
      lines += call_line("srand", "pin",
                         std::string(R"(,"requested":")") + process + std::to_string(i) + "\"");
    write(std::string("0-0.") + process + "-471" + process + ".jsonl", lines + end_line);
  }
  const Summary summary = summarise(read_log(folder_));
  const SymbolSummary& srand = summary.symbols.at(0);
  EXPECT_EQ(srand.examples.size() + srand.examples_left_out, 2 * many);
}

TEST_F(LogReader, ReadsRecordsAgainFileByFile) {
  const auto two = [](const std::string& name) {
    return call_line("f", "pin", R"(,"v":")" + name + "1\"") +
           call_line("f", "pin", R"(,"v":")" + name + "2\"");
  };
  write("0-0-1.jsonl", two("lost")); // no start: of which run is not known
  write("0-0.10-2.jsonl", start_line("r", 0, "0.10") + two("ten"));
  write("0-0.9-3.jsonl",
        start_line("other") + two("other") + start_line("r", 0, "0.9") + two("nine"));
  std::string order;
  for (const auto& [call, count] : calls(read_log(folder_, "r")))
    order += call.fields.at(0).value + " ";
  EXPECT_EQ(order, "lost1 lost2 ten1 ten2 nine1 nine2 ");
}

TEST_F(LogReader, KnowsWhichBuildsRan) {
  const Log log = read(
      start_line() + R"({"t":"build","file":"/bin/train","id":"ab12"})" + "\n" +
      R"({"t":"modules","files":["/bin/train","/lib/a.so","/lib/b.so"],"builds":["ab12","","cd34"]})" +
      "\n" + end_line);
  EXPECT_EQ(log.builds, (std::map<std::string, std::set<std::string>>{{"/bin/train", {"ab12"}},
                                                                      {"/lib/b.so", {"cd34"}}}));
}

TEST(FirstProcess, IsTheRootOfRankZero) {
  EXPECT_TRUE(is_first_process(0, "0"));
  EXPECT_TRUE(is_first_process(0, "0wewe")) << "a wrapper handed the name on";
  EXPECT_FALSE(is_first_process(0, "0.1"));
  EXPECT_FALSE(is_first_process(0, "0we.1"));
  EXPECT_FALSE(is_first_process(1, "0"));
  EXPECT_FALSE(is_first_process(0, ""));
}

TEST(Lines, ComeWholeHoweverTheyArrive) {
  const std::string text = "one\ntwo\n\nthree";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    LineSplitter splitter;
    std::string lines;
    for (std::size_t at = 0; at < text.size(); at += step)
      splitter.feed(std::string_view(text).substr(at, step), [&lines](std::string_view line) {
        lines.append(line).append("|");
      });
    EXPECT_EQ(lines, "one|two||");
    EXPECT_TRUE(splitter.has_open_line());
  }
}

// Without a counts file a record is one call at least: how often it was made is not known. That one
// of those that can differ has no record must not be forgotten.
TEST_F(LogReader, HoldsWhatCanDifferAgainstTheEndWithoutCounts) {
  const auto lost = [&](const std::string& action, const std::string& records, int counted) {
    const Log log = read(start_line() + records + R"({"t":"end","counts":{")" + action +
                         "\":" + std::to_string(counted) + "}}\n");
    const ActionCounts& unrecorded = log.processes.at(0).unrecorded;
    std::uint64_t sum = 0;
    for (const std::uint64_t calls : unrecorded)
      sum += calls;
    return sum;
  };
  for (const std::string action : {"nondeterministic", "uncovered"}) {
    EXPECT_EQ(lost(action, call_line("f", action), 7), 6U) << action;
    EXPECT_EQ(lost(action, call_line("f", action), 1), 0U) << action;
  }
  for (const std::string action : {"pin", "replace", "refuse"}) {
    EXPECT_EQ(lost(action, call_line("f", action), 7), 0U) << action;
    EXPECT_EQ(lost(action, "", 7), 7U) << action;
  }
  EXPECT_EQ(lost("observe", "", 7), 0U);
}

TEST_F(LogReader, KeepsTheRanksOfWhatCanDiffer) {
  for (const std::string action : {"nondeterministic", "uncovered", "refuse"}) {
    const Log log = read(start_line("r", 3) + call_line("f", action) + end_line);
    EXPECT_EQ(summarise(log).symbols.at(0).calls->ranks.size(), 1U) << action;
  }
  const Log pinned = read(start_line("r", 3) + call_line("f", "pin") + end_line);
  EXPECT_TRUE(summarise(pinned).symbols.at(0).calls->ranks.empty());
}

TEST_F(LogReader, HasProcessesByRankPathAndId) {
  const auto add = [&](int rank, const std::string& path, int pid) {
    const std::string id = std::to_string(pid);
    std::string start = start_line("20261121T003512-1", rank, path);
    start.replace(start.find("4711,"), 5, id + ",");
    write(std::to_string(rank) + "-" + path + "-" + id + ".jsonl", start + end_line);
  };
  add(1, "0", 11);
  add(0, "0.10", 12);
  add(0, "0.9", 14);
  add(0, "0.9", 13);
  add(0, "0", 1);
  std::string order;
  for (const Process& process : read_log(folder_).processes)
    order += std::to_string(process.pid) + ' ';
  EXPECT_EQ(order, "1 13 14 12 11 ");
}

TEST(Logs, BeginWithTheirFirstProcess) {
  const auto begun = [](const std::vector<std::uint64_t>& starts) {
    Log log;
    for (const std::uint64_t start : starts)
      log.processes.emplace_back().starts.emplace_back().begun = start;
    return log.begun();
  };
  EXPECT_EQ(begun({}), 0U);
  EXPECT_EQ(begun({5}), 5U);
  EXPECT_EQ(begun({0, 5, 3, 0, 4}), 3U);
  EXPECT_EQ(begun({0}), 0U);
}

RankMark mark_of(const std::string& launcher, std::int64_t rank, std::int64_t size,
                 const std::string& program = "", const std::string& job = "") {
  RankMark mark;
  mark.job = mark.job_key = job;
  mark.launcher = launcher;
  mark.rank = rank;
  mark.size = size;
  mark.program = program;
  mark.node = "n" + std::to_string(rank);
  return mark;
}

/// "mpirun 0,1 of 2; ": each job with its launcher and the ranks that have shown themselves.
std::string jobs_in(const std::vector<RankMark>& marks) {
  Log log;
  log.marks = marks;
  std::string text;
  for (const LoggedJob& job : jobs_of(log)) {
    text += job.launcher + ' ';
    for (const std::int64_t rank : job.ranks)
      text += std::to_string(rank) + ',';
    text += " of " + std::to_string(job.size) + ", " + std::to_string(job.missing()) + " missing; ";
  }
  return text;
}

TEST(Logs, HaveJobsByTheMarksOfTheirRanks) {
  EXPECT_EQ(jobs_in({}), "");
  EXPECT_EQ(jobs_in({mark_of("a", 0, 2), mark_of("a", 1, 2)}), " 0,1, of 2, 0 missing; ");
  EXPECT_EQ(jobs_in({mark_of("a", 0, 2, "mpirun"), mark_of("a", 1, 2)}),
            "mpirun 1, of 2, 1 missing; ")
      << "the launcher's mark is no rank's";
  EXPECT_EQ(jobs_in({mark_of("a", 0, 0, "mpirun")}), "mpirun  of 0, 1 missing; ");
  EXPECT_EQ(jobs_in({mark_of("b", 0, 0, "mpirun"), mark_of("a", 0, 1)}),
            "mpirun  of 0, 1 missing;  0, of 1, 0 missing; ");
  EXPECT_EQ(jobs_in({mark_of("a", 0, 0)}), " 0, of 0, 0 missing; ") << "nobody says how many";
  EXPECT_EQ(jobs_in({mark_of("a", 7, 2)}), " 7, of 2, 2 missing; ") << "it is none of these";
  LoggedJob job;
  job.size = 9;
  job.ranks = {0, 2};
  EXPECT_EQ(job.missing_names(), (std::vector<std::string>{"1", "3", "4", "5", "6", "2 more"}));
  job.ranks = {0, 2, 3, 4};
  EXPECT_EQ(job.missing_names(), (std::vector<std::string>{"1", "5", "6", "7", "8"}));
}

TEST(Logs, KnowTheMachineOfARank) {
  Log log;
  log.marks = {mark_of("a", 1, 2, "mpirun"), mark_of("a", 1, 2), mark_of("b", 1, 3, "", "j")};
  log.marks[0].node = "launcher's";
  log.marks[2].node = "m1";
  EXPECT_EQ(node_of(log, "", 1), "n1");
  EXPECT_EQ(node_of(log, "j", 1), "m1");
  EXPECT_EQ(node_of(log, "", 0), "");
  EXPECT_EQ(size_of_job(log, ""), 2);
  EXPECT_EQ(size_of_job(log, "j"), 3);
  EXPECT_EQ(size_of_job(log, "k"), 0);
  Process& process = log.processes.emplace_back();
  EXPECT_EQ(node_of(log, "", 0), "");
  process.starts.emplace_back().node = "m0";
  EXPECT_EQ(node_of(log, "", 0), "m0");
  EXPECT_EQ(node_of(log, "j", 0), "");
  process.rank = 5;
  EXPECT_EQ(node_of(log, "", 0), "");
}

TEST(Logs, CountProcessesThatLackSomething) {
  Log log;
  Process& process = log.processes.emplace_back();
  EXPECT_EQ(summarise(log).without_counts, 0U) << "it made no calls";
  EXPECT_EQ(summarise(log).without_end.size(), 1U);
  process.calls = 1;
  EXPECT_EQ(summarise(log).without_counts, 1U);
  process.has_counts = true;
  EXPECT_EQ(summarise(log).without_counts, 0U);
  process.end.emplace();
  EXPECT_TRUE(summarise(log).without_end.empty());
}

// A child sees what its parent set: that says nothing new.
TEST(Logs, NameAVariableThatWasSetOnce) {
  using Changes = std::vector<EnvironmentChange>;
  const auto changes = [](const Changes& all) {
    Log log;
    log.processes.emplace_back().starts.emplace_back().environment = all;
    return summarise(log).environment;
  };
  const EnvironmentChange set{"A", std::nullopt, "1"}, seen{"A", "1", "1"}, other{"B", "1", "1"};
  EXPECT_EQ(changes({set, seen}), Changes{set});
  EXPECT_EQ(changes({seen}), Changes{seen}) << "its parent has no log";
  EXPECT_EQ(changes({set, other}), (Changes{set, other}));
  EXPECT_EQ(changes({set, set}), Changes{set});
}

TEST(Logs, BeginWithAProcessOfRankZero) {
  for (const char* path : {"0", "0e", "0w"})
    EXPECT_TRUE(is_first_process(0, path)) << path;
  for (const char* path : {"1", "0.1", "0e.1", ""})
    EXPECT_FALSE(is_first_process(0, path)) << path;
  EXPECT_FALSE(is_first_process(1, "0"));
}

// What `sys.path` begins with.
TEST(PythonFiles, AreFoundBesideTheScript) {
  const auto folder = [](const std::vector<std::string>& arguments,
                         const std::string& program = "/usr/bin/python3") {
    Start start;
    start.program = program;
    start.working_directory = "/w";
    start.args = {"python3"};
    start.args.insert(start.args.end(), arguments.begin(), arguments.end());
    return script_folder(start);
  };
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"a/t.py"},
                                             {"-u", "a/t.py"},
                                             {"-W", "ignore", "a/t.py"},
                                             {"-Wignore", "a/t.py"},
                                             {"-X", "dev", "a/t.py", "-c"},
                                             {"-uX", "dev", "a/t.py"},
                                             {"--version", "a/t.py"},
                                             {"--check-hash-based-pycs", "always", "a/t.py"},
                                             {"/w/a/t.py"},
                                             {"b/../a/t.py"}})
    EXPECT_EQ(folder(arguments), "/w/a") << arguments[0];
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"-", "a/t.py"},
                                             {"-c", "a/t.py"},
                                             {"-ccode", "a/t.py"},
                                             {"-m", "a", "a/t.py"},
                                             {"-um", "a", "a/t.py"},
                                             {"-u"}})
    EXPECT_EQ(folder(arguments), "/w") << (arguments.empty() ? "" : arguments[0]);
  EXPECT_EQ(folder({"a/t.py"}, "/usr/bin/perl"), "");
}

TEST(PythonFiles, AreCalledByWhatIsTheSameElsewhere) {
  const struct {
    const char *frame, *own, *name;
  } frames[] = {
      {"/v/lib/python3.11/site-packages/a/b.py:7 f", "/v", "a/b.py:7 f"},
      {"/v/dist-packages/a/b.py:7 f", "", "a/b.py:7 f"},
      {"/usr/lib/python3.11/random.py:7 f", "", "random.py:7 f"},
      {"/usr/lib64/python3.11/a/b.py:7 f", "", "a/b.py:7 f"},
      {"/w/a/t.py:7 f", "/w", "a/t.py:7 f"},
      {"/w/a/t.py:7 f", "/w/", "a/t.py:7 f"},
      {"/wide/a/t.py:7 f", "/w", "t.py:7 f"},
      {"/w/a/t.py:7 f", "", "t.py:7 f"},
      {"/w/a/t.py:7 f", "/x", "t.py:7 f"},
      {"/w/a/t.py:7 f /b", "/x", "t.py:7 f /b"},
  };
  for (const auto& [frame, own, name] : frames)
    EXPECT_EQ(portable_frame(frame, own), name) << frame << " " << own;
}

TEST(CallOwners, OfFilesAreToldByTheirPath) {
  EXPECT_EQ(owner_of_file("/v/lib/python3.11/site-packages/a.py"), FileOwner::package);
  EXPECT_EQ(owner_of_file("/v/dist-packages/a.py"), FileOwner::package);
  EXPECT_EQ(owner_of_file("/v/lib/python3.11/random.py"), FileOwner::library);
  EXPECT_EQ(owner_of_file("/usr/include/c++/12/random"), FileOwner::library);
  EXPECT_EQ(owner_of_file("/home/me/train.cpp"), FileOwner::user);
}

TEST(CallOwners, HaveFramesOfThreeParts) {
  const auto parts = [](const std::string& frame) {
    const std::optional<FrameParts> found = parts_of_frame(frame);
    return found ? found->file + '|' + std::to_string(found->line) + '|' + found->function : "";
  };
  EXPECT_EQ(parts("/home/me/train.py:12 main"), "/home/me/train.py|12|main");
  EXPECT_EQ(parts("/my home/a:b.py:12 main"), "/my home/a:b.py|12|main");
  for (const char* frame : {"", "main", "train.py main", "train.py:x main", "train.py:12"})
    EXPECT_EQ(parts(frame), "") << frame;
}

TEST(Printable, LeavesTextAlone) {
  EXPECT_EQ(printable("train.py:12 \"größer\" \\ 学習 🎲…"), "train.py:12 \"größer\" \\ 学習 🎲…");
}

TEST(Printable, DefusesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(printable("a\nb\rc\td\x7f"), "a\\x0ab\\x0dc\\x09d\\x7f");
  EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b") << "CSI in one character";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e") << "turns the writing direction";
}

TEST(Printable, ShowsStrayBytes) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("a\xc3"), "a\\xc3") << "cut character";
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(printable("\xf8\x88\x80\x80\x80"), "\\xf8\\x88\\x80\\x80\\x80");
}

[[gnu::noinline]] std::string calling_place() {
  const char* const address = static_cast<const char*>(__builtin_return_address(0));
  Dl_info module{};
  if (::dladdr(address, &module) == 0)
    return "?";
  char offset[32];
  std::snprintf(
      offset, sizeof offset, "+0x%llx",
      static_cast<unsigned long long>(address - static_cast<const char*>(module.dli_fbase)));
  return std::filesystem::read_symlink("/proc/self/exe").string() + offset;
}

[[gnu::noinline]] std::string well_known_function() {
  std::string place = calling_place();
  return place + ""; // not a tail call
}

TEST(SourceLines, FindsThisTest) {
  SourceLines source_lines;
  const std::string place = well_known_function();
  const std::optional<SourceLine> source = source_lines.find(place);
  ASSERT_TRUE(source) << place;
  EXPECT_NE(source->function.find("well_known_function"), std::string::npos) << source->function;
  if (source->file.empty())
    GTEST_SKIP() << "built without debug information";
  EXPECT_TRUE(source->file.ends_with("log_reader_test.cpp")) << source->file;
  const OwnedCall call = owner_of_call(place, {}, {}, source_lines);
  EXPECT_EQ(call.owner, CallOwner::user);
  EXPECT_EQ(call.line, "log_reader_test.cpp:" + std::to_string(source->line));
  const std::string text = source_lines.describe(place);
  EXPECT_TRUE(text.ends_with("log_reader_test.cpp:" + std::to_string(source->line) + " " +
                             source->function))
      << text;
}

[[gnu::always_inline]] inline std::string inlined_function() { return calling_place() + ""; }

[[gnu::noinline]] std::string function_around() { return inlined_function() + ""; }

TEST(SourceLines, NamesWhatAFunctionWasInlinedInto) {
  SourceLines source_lines;
  const std::optional<SourceLine> source = source_lines.find(function_around());
  ASSERT_TRUE(source);
  if (source->file.empty())
    GTEST_SKIP() << "built without debug information";
  EXPECT_EQ(source->function, "inlined_function");
  ASSERT_EQ(source->inlined_into.size(), 1U);
  EXPECT_EQ(source->inlined_into[0].function, "function_around");
  EXPECT_TRUE(source->inlined_into[0].file.ends_with("log_reader_test.cpp"));
  EXPECT_EQ(source->inlined_into[0].line, source->line + 2);
}

TEST(SourceLines, FallsBackToTheSymbolAndThenToThePlace) {
  Dl_info libc{};
  ASSERT_NE(::dladdr(reinterpret_cast<const void*>(&::getenv), &libc), 0);
  char place[4096];
  std::snprintf(place, sizeof place, "%s+0x%llx", libc.dli_fname,
                static_cast<unsigned long long>(static_cast<char*>(libc.dli_saddr) -
                                                static_cast<char*>(libc.dli_fbase) + 5));
  SourceLines source_lines;
  EXPECT_NE(source_lines.describe(place).find("getenv"), std::string::npos)
      << source_lines.describe(place);

  for (const std::string unknown :
       {"?", "", "+0x1", "/no/such/module+0x1a2b", "/bin+0x1", "/dev/zero+0x1", "/etc/passwd+0x1",
        "/bin/sh+0x", "/bin/sh+0xzz", "/bin/sh+0x0", "/bin/sh+0xffffffffffffffffff",
        "/proc/self/exe+0xffffffffffffffff"})
    EXPECT_EQ(source_lines.describe(unknown), unknown);
}

TEST(SourceLines, ShowsTheUsersFrameBehindALibrarys) {
  SourceLines source_lines;
  const std::string users = well_known_function();
  if (source_lines.find(users)->file.empty())
    GTEST_SKIP() << "built without debug information";
  Dl_info libc{};
  ASSERT_NE(::dladdr(reinterpret_cast<const void*>(&::getenv), &libc), 0);
  const std::string library = libc.dli_fname;
  const std::string line = source_lines.describe(users);
  EXPECT_EQ(source_lines.describe(library + "+0x1", {library + "+0x2", users, users}),
            line + " -> " + source_lines.describe(library + "+0x1"));
  EXPECT_EQ(source_lines.describe(users, {library + "+0x2", users}), line);
  EXPECT_EQ(source_lines.describe(library + "+0x1", {library + "+0x2"}),
            source_lines.describe(library + "+0x1"));
  EXPECT_EQ(source_lines.describe("?", {}), "?");
  EXPECT_FALSE(source_lines.find_user(library + "+0x1", {"", "?", "+0x1", library + "+0x2"}));
  EXPECT_EQ(source_lines.find_user(library + "+0x1", {users})->place, users);
}

TEST(LibraryCode, IsToldByItsFolderAndWrappersByTheirHeaders) {
  for (const char* const file :
       {"/usr/include/c++/12/bits/random.h", "/usr/local/cuda-13.0/include/thrust/sort.h",
        "/opt/rocm/include/a.h",
        "/home/me/train/third_party/cudnn-frontend/include/cudnn_frontend_shim.h",
        "/home/me/x/include/cudnn_frontend/graph_interface.h",
        "/home/me/boost/random/detail/seed.hpp",
        "/home/me/venv/lib/python3.11/site-packages/torch/include/ATen/ops/rand.h",
        "/home/me/Eigen/Core"})
    EXPECT_TRUE(is_library_source(file)) << file;
  for (const char* const file :
       {"/home/me/train.cpp", "train.cpp", "/home/me/cudnn_frontend/train.cpp", "/root/boost/a.cc",
        "/home/me/usr/include/mine.h", "/home/me/layers.h", "/usr/local/src/train/a.h"})
    EXPECT_FALSE(is_library_source(file)) << file;
  EXPECT_TRUE(is_library_file("/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_TRUE(
      is_library_file("/home/me/venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so"));
  EXPECT_FALSE(is_library_file("/home/me/build/libwrapper.so"));
  const TemporaryFolder scratch;
  const std::string lib = scratch.path() / "env/lib", other = scratch.path() / "project/lib";
  std::filesystem::create_directories(lib + "/python3.11/site-packages");
  std::filesystem::create_directories(other);
  EXPECT_TRUE(is_library_file(lib + "/libmkl_core.so.2"));
  EXPECT_TRUE(is_library_file(lib + "/python3.11/../../lib/libmkl_core.so.2"));
  EXPECT_FALSE(is_library_file(other + "/libmine.so"));
  EXPECT_TRUE(is_library_file("/home/me/build/libdetshim.so.1"));
  EXPECT_FALSE(is_library_source("/home/me/build/libdetshim.so.1"));
}

TEST(SourceLines, LooksNothingUpInAFileThatHasChanged) {
  const std::string place = well_known_function();
  SourceLines source_lines({place.substr(0, place.rfind("+0x"))});
  EXPECT_FALSE(source_lines.find(place));
  EXPECT_EQ(source_lines.describe(place), place);
}

TEST(SourceLines, SurvivesADamagedModule) {
  const TemporaryFolder scratch;
  std::ifstream input("/proc/self/exe", std::ios::binary);
  std::string bytes(65536, '\0');
  input.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::mt19937 generator(11);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = bytes.substr(0, generator() % bytes.size());
    for (int j = 0; j < 20 && !damaged.empty(); ++j)
      damaged[generator() % damaged.size()] = static_cast<char>(generator());
    const std::string file = (scratch.path() / "module").string();
    std::ofstream(file, std::ios::binary) << damaged;
    SourceLines().describe(file + "+0x1234");
  }
}

} // namespace
} // namespace detshim
