// Slurm's own daemons, on this machine.
#include "launched.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

constexpr int no_slurm = 77;

/// Runs the script where Slurm runs; its lines.
Lines with_slurm(const std::string& script) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "script") << script;
  Environment environment = mpi_as_root;
  environment["LIBRARY"] = DETSHIM_LIBRARY;
  environment["DETSHIM"] = DETSHIM_COMMAND;
  environment["DRAW"] = RANKS_PROGRAM;
  const Result result = run({SLURM_NODE, (scratch.path() / "slurm").string(), "sh", "script"},
                            environment, scratch.path());
  if (result.status == no_slurm)
    return {"skip: " + result.err};
  EXPECT_EQ(result.status, 0) << result.err;
  return lines_of(result.out);
}

bool is_skipped(const Lines& lines) { return !lines.empty() && lines[0].starts_with("skip: "); }

Lines starting(const Lines& all, const std::string& start) {
  Lines result;
  for (const std::string& line : all)
    if (line.starts_with(start))
      result.push_back(line.substr(start.size()));
  return result;
}

TEST(Slurm, JobsAreOneRunEachAndDrawAsElsewhere) {
  const Lines said = with_slurm(contents(PROGRAMS "slurm_jobs.sh"));
  if (is_skipped(said))
    GTEST_SKIP() << said[0];
  const Lines plain = starting(said, "plain ");
  ASSERT_EQ(plain.size(), 3u);
  EXPECT_EQ(drawn(plain).size(), 3u);
  EXPECT_EQ(starting(said, "exported "), plain) << "ranks launched one by one";
  EXPECT_EQ(starting(said, "runs "), Lines{"1"});
  EXPECT_EQ(starting(said, "status "), Lines{"0"});
  EXPECT_EQ(starting(said, "salloc "), plain);
  EXPECT_EQ(starting(said, "step "), plain) << "in a batch script";
  const Lines next = starting(said, "next ");
  ASSERT_EQ(next.size(), 3u);
  std::set<std::string> all = drawn(plain);
  all.merge(drawn(next));
  EXPECT_EQ(all.size(), 6u) << "the second step of an allocation is a job of its own";
  const Lines array = starting(said, "array ");
  ASSERT_EQ(array.size(), 3u);
  EXPECT_EQ(drawn(array).size(), 3u) << "tasks of an array";
  EXPECT_EQ(starting(said, "again "), array);
}

} // namespace
