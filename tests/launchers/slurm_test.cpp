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
  const Result result =
      run({SLURM_NODE, (scratch.path() / "slurm").string(), "sh", "script"}, environment, scratch.path());
  if (result.status == no_slurm) return {"skip: " + result.err};
  EXPECT_EQ(result.status, 0) << result.err;
  return lines_of(result.out);
}

bool is_skipped(const Lines& lines) { return !lines.empty() && lines[0].starts_with("skip: "); }

Lines starting(const Lines& all, const std::string& start) {
  Lines result;
  for (const std::string& line : all)
    if (line.starts_with(start)) result.push_back(line.substr(start.size()));
  return result;
}

TEST(Slurm, JobsAreOneRunEachAndDrawAsElsewhere) {
  const Lines said = with_slurm(R"sh(
run="$DETSHIM run --quiet --seed 42 --library $LIBRARY --"
count() { ls -d "$1"/detshim-log/2* | wc -l; }
mkdir plain exported batch array salloc
(cd plain; $run srun -n3 -O $DRAW plain)
(cd salloc; salloc -n2 -O $run sh -c "srun -n3 -O $DRAW salloc" 2>/dev/null)
(cd exported; DETSHIM_QUIET=1 srun -n3 -O --export=LD_PRELOAD=$LIBRARY,DETSHIM_SEED=42,DETSHIM_QUIET=1,PATH $DRAW exported
 echo "runs $(count .)"; $DETSHIM log --check >log; echo "status $?"; grep -o '3 ranks' log)
cd batch
printf '#!/bin/sh\n%s sh -c "srun -n3 -O $DRAW step; srun -n3 -O $DRAW next"\n' "$run" >script
sbatch -W -n3 -O -o out script >/dev/null; cat out
cd ../array
printf '#!/bin/sh\n%s $DRAW array\n' "$run" >script
sbatch -W --array=1-3 -n1 -O -o out.%a script >/dev/null; cat out.*
sbatch -W --array=1-3 -n1 -O -o again.%a script >/dev/null; cat again.* | sed s/array/again/
)sh");
  if (is_skipped(said)) GTEST_SKIP() << said[0];
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
