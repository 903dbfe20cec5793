// Every thread, process and rank has a stream of its own, the same in every run.
#include "run.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using Lines = std::vector<std::string>;

Lines drawn(const std::vector<std::string>& arguments, const Environment& more = {}) {
  const TemporaryFolder scratch;
  Environment environment{{"DETSHIM_SEED", "42"}};
  for (const auto& [name, value] : more)
    environment[name] = value;
  const Result result = run(arguments, under_shim(scratch, environment));
  EXPECT_EQ(result.status, 0) << result.err;
  return lines(result.out);
}

Lines tree(const std::string& command, const Environment& more = {}) {
  return drawn({TREE_PROGRAM, command}, more);
}

std::string value_of(const std::string& line) { return line.substr(line.rfind(' ') + 1); }

class Tree : public testing::TestWithParam<const char*> {};

TEST_P(Tree, GivesEachItsOwnStreamAndTheSameInEveryRun) {
  const Lines first = tree(GetParam());
  EXPECT_GT(first.size(), 2u);
  std::set<std::string> values;
  for (const std::string& line : first)
    EXPECT_TRUE(values.insert(value_of(line)).second) << line;
  EXPECT_EQ(tree(GetParam()), first);
  EXPECT_NE(tree(GetParam(), {{"DETSHIM_SEED", "43"}}), first);
  EXPECT_NE(run({TREE_PROGRAM, GetParam()}).out, run({TREE_PROGRAM, GetParam()}).out);
}

INSTANTIATE_TEST_SUITE_P(All, Tree,
                         testing::Values("threads", "forks", "raw", "programs", "wide", "deep"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

TEST(Threads, RepeatWhateverTheScheduling) {
  const Lines first = tree("threads");
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(tree("threads"), first);
}

// The kernel needs time by the square of the depth.
TEST(Forks, MayBeHundredsDeep) {
  const Lines first = drawn({TREE_PROGRAM, "deep", "300"});
  EXPECT_EQ(first.size(), 302u);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), first.size());
  EXPECT_EQ(drawn({TREE_PROGRAM, "deep", "300"}), first);
}

class Rank : public testing::TestWithParam<const char*> {};

TEST_P(Rank, HasItsOwnStreamAndIsItselfAgain) {
  const std::string variable = GetParam();
  std::set<std::string> values;
  for (const char* rank : {"0", "1", "2", "17"}) {
    const Lines lines = tree("forks", {{variable, rank}});
    for (const std::string& line : lines)
      EXPECT_TRUE(values.insert(value_of(line)).second) << rank << ": " << line;
    EXPECT_EQ(tree("forks", {{variable, rank}}), lines);
    // However deep the launcher, and however often it launched before.
    const std::string launched = variable + "=" + rank + " " TREE_PROGRAM " forks";
    EXPECT_EQ(drawn({"sh", "-c", launched}), lines);
    EXPECT_EQ(drawn({"bash", "-c", "head -c 8 /dev/urandom >/dev/null; true; (" + launched + ")"}),
              lines);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Rank,
                         testing::Values("RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                         "SLURM_PROCID", "MV2_COMM_WORLD_RANK"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

TEST(Ranks, AreReadInOrderAndNonsenseIsNoRank) {
  const Lines one = tree("none", {{"RANK", "1"}});
  EXPECT_EQ(tree("none", {{"RANK", "1"}, {"SLURM_PROCID", "5"}}), one);
  EXPECT_EQ(tree("none", {{"RANK", "x"}, {"SLURM_PROCID", "1"}}), one);
  EXPECT_EQ(tree("none", {{"RANK", "-1"}}), tree("none"));
}

TEST(Launcher, DrawsApartFromItsRankZero) {
  const std::string draw = TREE_PROGRAM " say x";
  const Lines both = drawn({"bash", "-c", draw + "; RANK=0 " + draw});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[0], both[1]);
  EXPECT_EQ(drawn({"bash", "-c", draw + "; RANK=0 " + draw}), both);
}

TEST(Ranks, KeepEqualSeedsEqual) {
  const auto values = [](const char* rank) {
    return drawn({RESEED_PROGRAM, "7", "8", "7"}, {{"RANK", rank}});
  };
  EXPECT_EQ(values("0"), values("1"));
}

} // namespace
