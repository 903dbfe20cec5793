// Ranks under MPICH's Hydra, which stands beside Open MPI and tells a rank by PMI_RANK and no name
// of the job.
#include "launched.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace {

class Mpich : public testing::Test {
protected:
  void SetUp() override {
    if (find_program("mpiexec.mpich").empty())
      GTEST_SKIP() << "no mpiexec.mpich (package mpich)";
  }
};

const std::string mpiexec = "mpiexec.mpich ";
const std::string draw = std::string(RANKS_PROGRAM) + " ";

/// What the ranks did is looked at in what they left: Hydra's mpiexec itself is ended by SIGPIPE
/// now and then where its ranks leave at once, without detshim too (10 of 120 times).
bool succeeded(const Result& result) {
  return result.status == 0 || result.status == 128 + SIGPIPE;
}

/// So many lines: one that was lost with an mpiexec that ended like that is asked for again.
Lines in_job(const std::string& script, std::size_t count) {
  Lines lines;
  for (int tries = 0; tries < 5 && lines.size() != count; ++tries) {
    const TemporaryFolder scratch;
    const Result result = under_run(scratch, script);
    EXPECT_TRUE(succeeded(result)) << result.status << result.err;
    lines = lines_of(result.out);
  }
  return lines;
}

Result check(const TemporaryFolder& scratch) {
  return run({DETSHIM_COMMAND, "log", "--check"}, {}, scratch.path());
}

TEST_F(Mpich, RanksDrawAsUnderOtherLaunchers) {
  const Lines ranks = in_job(mpiexec + "-n 3 " + draw, 3);
  ASSERT_EQ(ranks.size(), 3u);
  EXPECT_EQ(drawn(ranks).size(), 3u);
  EXPECT_EQ(in_job("for r in 0 1 2; do RANK=$r " + draw + "; done", 3), ranks);
}

TEST_F(Mpich, RanksLaunchedOneByOneAreOneRun) {
  const TemporaryFolder scratch;
  const std::string choose = "'[ $PMI_RANK = 2 ] && exec " RANKS_STATIC "; exec " + draw + "'";
  const Result result =
      run({"sh", "-c", mpiexec + "-genv LD_PRELOAD " DETSHIM_LIBRARY " -n 3 sh -c " + choose}, {},
          scratch.path());
  ASSERT_TRUE(succeeded(result)) << result.status << result.err;
  EXPECT_EQ(lines_of(result.err, "Using seed: ").size(), 1u) << result.err;
  const Result log = check(scratch);
  EXPECT_EQ(log.status, 3) << log.out;
  EXPECT_NE(log.out.find("rank 2 of 3, node "), std::string::npos) << log.out;
}

// Hydra gives a job no name.
TEST_F(Mpich, TheSecondJobInAFolderIsAnotherRun) {
  const TemporaryFolder scratch;
  std::set<std::string> seeds;
  for (int i = 0; i < 2; ++i) {
    Lines ranks;
    for (int tries = 0; tries < 5 && ranks.size() != 2;
         ++tries) // lines that Hydra loses, as in in_job()
      ranks =
          lines_of(run({"sh", "-c", mpiexec + "-genv LD_PRELOAD " DETSHIM_LIBRARY " -n 2 " + draw},
                       {}, scratch.path())
                       .out);
    EXPECT_EQ(ranks.size(), 2u);
    seeds.merge(drawn(ranks));
  }
  EXPECT_EQ(seeds.size(), 4u) << "each job has a seed of its own, and its ranks draw apart";
}

TEST_F(Mpich, AnotherMachineGetsTheLibrary) {
  Lines ranks;
  Result log;
  nlohmann::json document;
  for (int tries = 0; tries < 5 && ranks.size() != 4;
       ++tries) { // lines that Hydra loses, as in in_job()
    const TemporaryFolder scratch;
    const std::filesystem::path agent = scratch.path() / "agent"; // called as ssh: -x HOST COMMAND
    std::ofstream(agent) << contents(PROGRAMS "second_node_of_hydra.sh");
    std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
    const Result result = under_run(
        scratch, mpiexec + "-launcher ssh -launcher-exec ./agent -hosts one,other -n 4 " + draw);
    ranks = lines_of(result.out);
    log = check(scratch);
    document = document_of(scratch);
  }
  EXPECT_EQ(ranks, in_job(mpiexec + "-n 4 " + draw, 4));
  EXPECT_EQ(log.status, 0) << log.out;
  EXPECT_EQ(document["ranks"], 4);
}

TEST_F(Mpich, TwoAtOnceDrawApart) {
  const std::string script =
      mpiexec + "-n 2 " + draw + "a & " + mpiexec + "-n 2 " + draw + "b & wait";
  const Lines both = in_job(script, 4);
  ASSERT_EQ(both.size(), 4u);
  EXPECT_EQ(drawn(both).size(), 4u);
  EXPECT_EQ(in_job(script, 4), both);
}

} // namespace
