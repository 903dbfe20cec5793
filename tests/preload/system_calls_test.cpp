// docs/COVERAGE.md lists the system calls that the library makes: a filter that allows them lets it
// pass, and each of them is needed.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

using Names = std::vector<std::string>;

/// The system calls in the row of the table that begins so.
Names listed(const std::string& row) {
  std::ifstream document{COVERAGE_DOCUMENT};
  Names names;
  for (std::string line; std::getline(document, line);) {
    if (!line.starts_with("| " + row))
      continue;
    const std::string calls = line.substr(line.find('|', 2));
    const std::regex name{"`([a-z0-9_]+)`"};
    for (std::sregex_iterator at{calls.begin(), calls.end(), name}, end; at != end; ++at)
      names.push_back((*at)[1]);
  }
  EXPECT_FALSE(names.empty()) << row;
  return names;
}

Result filtered(const std::string& way, const Names& names, bool is_preloaded = true) {
  const TemporaryFolder scratch;
  std::vector<std::string> command = {FILTERED_PROGRAM, way};
  command.insert(command.end(), names.begin(), names.end());
  return run(command, is_preloaded
                          ? under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}})
                          : Environment{});
}

constexpr int killed = 128 + SIGSYS;

/// Those of `needed` that a run does without.
Names not_needed(const std::string& way, const Names& all, const Names& needed) {
  Names result;
  for (const std::string& name : needed) {
    Names others = all;
    std::erase(others, name);
    if (filtered(way, others).status != killed)
      result.push_back(name);
  }
  return result;
}

Names both(Names first, const Names& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct Case {
  const char* way;
  std::vector<const char*> rows; ///< the last is the one that is looked at
};

class SystemCalls : public testing::TestWithParam<Case> {};

TEST_P(SystemCalls, AreThoseOfTheDocument) {
  if (filtered("warm", {"getrandom"}, false).status == 126)
    GTEST_SKIP() << "no filter can be set here";
  Names all;
  for (const char* row : GetParam().rows)
    all = both(all, listed(row));
  EXPECT_EQ(filtered(GetParam().way, all).status, 0);
  EXPECT_EQ(not_needed(GetParam().way, all, listed(GetParam().rows.back())), Names{});
}

const char* const new_place = "a draw from a new place";
INSTANTIATE_TEST_SUITE_P(
    All, SystemCalls,
    testing::Values(Case{"warm", {"a draw from a place that drew before"}},
                    Case{"draw", {new_place}},
                    Case{"device", {new_place, "opening and reading a random device"}},
                    Case{"end", {new_place, "the end of a process that has a log"}}),
    [](const auto& tested) {
      return std::string{tested.param.way};
    });

// ------------------------------------------------------------------ a filter that the program puts
// on itself

Result sandboxed(const std::string& way, const TemporaryFolder& scratch) {
  return run({SANDBOXED_PROGRAM, way}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
}

/// What was answered, without what was drawn.
std::vector<std::string> answers(const Result& result) {
  std::vector<std::string> all = lines(result.out);
  std::erase_if(all, [](const std::string& line) {
    return line.starts_with("before") || line.starts_with("after") || line.starts_with("again") ||
           line.starts_with("child ");
  });
  return all;
}

/// The functions whose records have that action.
Names functions(const TemporaryFolder& scratch, const std::string& action) {
  Names names;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      if (call["do"] == action)
        names.push_back(call["fn"]);
  return names;
}

class Sandboxes : public testing::TestWithParam<const char*> {};

// Whatever the filter does at a call that it does not allow: the program lives as it does without
// us, its draws are pinned, and what is not recorded is said.
TEST_P(Sandboxes, AreLivedInAsWithoutTheLibrary) {
  const std::string way = GetParam();
  const Result native = run({SANDBOXED_PROGRAM, way});
  if (native.out.find("on -") != std::string::npos)
    GTEST_SKIP() << "no filter can be set here";
  // Switched off, the library is still there, and finds the functions behind its hooks.
  for (const auto& [name, value] : {std::pair{"DETSHIM_MODE", "enforce"},
                                    {"DETSHIM_MODE", "strict"},
                                    {"DETSHIM_MODE", "record"},
                                    {"DETSHIM_MODE", "observe"},
                                    {"DETSHIM_MODE", "off"},
                                    {"DETSHIM_DISABLE", "libc"}}) {
    const TemporaryFolder scratch;
    Environment environment{{"DETSHIM_SEED", "42"}};
    environment[name] = value;
    const Result result = run({SANDBOXED_PROGRAM, way}, under_shim(scratch, environment));
    EXPECT_EQ(result.status, native.status) << value;
    EXPECT_EQ(result.err, native.err) << value;
    EXPECT_EQ(answers(result), answers(native)) << value;
  }
  const TemporaryFolder first, second;
  const Result result = sandboxed(way, first);
  EXPECT_EQ(sandboxed(way, second), result);
  Names said = functions(first, "uncovered");
  std::erase(said, "open");
  EXPECT_EQ(said, Names{way.starts_with("by_") && way != "by_number" ? "syscall" : "prctl"});
  uint64_t drawn = 0;
  bool has_end = false;
  for (const ProcessLog& process : read_log(first.log())) {
    for (const auto& call : process.calls("rand"))
      drawn += process.count(call);
    for (const auto& record : process.records)
      has_end |= record["t"] == "end";
  }
  EXPECT_EQ(drawn, 100u); // those before
  EXPECT_TRUE(has_end);
}

INSTANTIATE_TEST_SUITE_P(All, Sandboxes,
                         testing::Values("strict", "kills", "traps", "refuses", "by_number",
                                         "by_seccomp", "leaves", "device", "fork"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

// Most filters keep a program from a few things that we do not do either.
TEST(Sandbox, ThatAllowsWhatWeCallChangesNothing) {
  const TemporaryFolder scratch;
  const Result result = sandboxed("keeps_out_few", scratch);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(functions(scratch, "uncovered"), Names{});
  uint64_t drawn = 0;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls("rand"))
      drawn += process.count(call);
  EXPECT_EQ(drawn, 300u);
}

TEST(Sandbox, ThatTheKernelDoesNotTakeIsNone) {
  for (const char* way : {"invalid", "nowhere"}) {
    const TemporaryFolder scratch;
    const Result result = sandboxed(way, scratch);
    EXPECT_EQ(result.status, 0) << way;
    EXPECT_EQ(answers(result), answers(run({SANDBOXED_PROGRAM, way}))) << way;
    uint64_t drawn = 0;
    for (const ProcessLog& process : read_log(scratch.log()))
      for (const auto& call : process.calls("rand"))
        drawn += process.count(call);
    EXPECT_EQ(drawn, 300u) << way;
  }
}

TEST(Sandbox, OfStressNgSucceeds) {
  if (find_program("stress-ng").empty())
    GTEST_SKIP() << "stress-ng is not installed";
  const std::vector<std::string> command = {"stress-ng", "--seccomp", "1", "--seccomp-ops", "30"};
  if (run(command).status != 0)
    GTEST_SKIP() << "no filter can be set here";
  const TemporaryFolder scratch;
  EXPECT_EQ(run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}})).status, 0);
}

} // namespace
