// Processes and threads that race, that no hook sees being made, or that have a number in common.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using Lines = std::vector<std::string>;

Lines kin(const std::vector<std::string>& arguments, const Environment& more = {}) {
  const TemporaryFolder scratch;
  Environment environment = more;
  environment.insert({"DETSHIM_SEED", "42"});
  std::vector<std::string> command{KIN_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Result result = run(command, under_shim(scratch, environment));
  EXPECT_EQ(result.status, 0) << result.err;
  return lines(result.out);
}

std::string value_of(const std::string& line) { return line.substr(line.rfind(' ') + 1); }

/// The lines, of which each has a value of its own.
Lines distinct(const Lines& lines) {
  std::set<std::string> values;
  for (const std::string& line : lines)
    EXPECT_TRUE(values.insert(value_of(line)).second) << line << " came before";
  return lines;
}

class Kin : public testing::TestWithParam<const char*> {};

TEST_P(Kin, DrawTheirOwnValuesAndTheSameInEveryRun) {
  const Lines first = distinct(kin({GetParam()}));
  if (!first.empty() && first[0].starts_with("no "))
    GTEST_SKIP() << first[0];
  EXPECT_GT(first.size(), 2u);
  EXPECT_EQ(kin({GetParam()}), first);
  EXPECT_NE(kin({GetParam()}, {{"DETSHIM_SEED", "43"}}), first);
}

INSTANTIATE_TEST_SUITE_P(All, Kin,
                         testing::Values("racing-forks", "racing-shells", "raw", "raw-undrawn",
                                         "thread-ends", "namespaces"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(Forks, OfEightThreadsAtOnceShareNoStream) { distinct(kin({"racing-forks", "8", "300"})); }

TEST(Exec, AfterADrawIsAnotherProgram) {
  const Lines drawn = distinct(kin({"exec"}));
  EXPECT_EQ(drawn.size(), 2u);
  EXPECT_EQ(kin({"exec"}), drawn);
}

TEST(Handlers, GetNothingThatTheMainFlowGets) {
  for (const char* what : {"handler-bytes", "handler-words"})
    EXPECT_EQ(kin({what}), Lines{"drew in the handler, 0 twice"}) << what;
}

TEST(UnseenThread, IsNotCalledPinned) {
  const TemporaryFolder scratch;
  const Result result = run({KIN_PROGRAM, "aio"}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  EXPECT_EQ(result.status, 0) << result.err;
  int nondeterministic = 0;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const nlohmann::json& record : process.calls("getrandom")) {
      if (!record["thread"].get<std::string>().starts_with('?'))
        continue;
      EXPECT_EQ(record["do"], "nondeterministic");
      EXPECT_EQ(record["why"], "thread_unnamed");
      ++nondeterministic;
    }
  EXPECT_GT(nondeterministic, 0);
}

TEST(SmallStack, IsEnoughToSpawnFromWithALargeEnvironment) {
  Environment large;
  for (int i = 0; i < 450; ++i)
    large["VARIABLE_" + std::to_string(i)] = "value";
  EXPECT_EQ(kin({"small-thread"}, large).size(), 1u);
  EXPECT_EQ(kin({"small-stack"}, large).size(), 1u);
}

TEST(Audit, LeavesRoomForTheLibrary) {
  EXPECT_EQ(kin({"say", "x"}, {{"LD_AUDIT", AUDIT_LIBRARY}}), kin({"say", "x"}));
  EXPECT_EQ(kin({"thread-ends"}, {{"LD_AUDIT", AUDIT_LIBRARY}}), kin({"thread-ends"}));
}

} // namespace
