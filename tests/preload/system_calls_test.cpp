// docs/LIMITS.md lists the system calls that the library makes: a filter that allows them lets it pass, and
// each of them is needed.
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
  std::ifstream document{LIMITS_DOCUMENT};
  Names names;
  for (std::string line; std::getline(document, line);) {
    if (!line.starts_with("| " + row)) continue;
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
  return run(command, is_preloaded ? under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}})
                                   : Environment{});
}

constexpr int killed = 128 + SIGSYS;

/// Those of `needed` that a run does without.
Names not_needed(const std::string& way, const Names& all, const Names& needed) {
  Names result;
  for (const std::string& name : needed) {
    Names others = all;
    std::erase(others, name);
    if (filtered(way, others).status != killed) result.push_back(name);
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
  if (filtered("warm", {"getrandom"}, false).status == 126) GTEST_SKIP() << "no filter can be set here";
  Names all;
  for (const char* row : GetParam().rows) all = both(all, listed(row));
  EXPECT_EQ(filtered(GetParam().way, all).status, 0);
  EXPECT_EQ(not_needed(GetParam().way, all, listed(GetParam().rows.back())), Names{});
}

const char* const new_place = "a draw from a new place";
INSTANTIATE_TEST_SUITE_P(All, SystemCalls,
                         testing::Values(Case{"warm", {"a draw from a place that drew before"}},
                                         Case{"draw", {new_place}},
                                         Case{"device", {new_place, "opening and reading a random device"}},
                                         Case{"end", {new_place, "the end of a process that has a log"}}),
                         [](const auto& tested) { return std::string{tested.param.way}; });

} // namespace
