// Ranks under Open MPI, and under variables as other launchers set them: one job, one run, one
// verdict.
#include "launched.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace {

#define NEEDS_MPI()                                                                                \
  if (!has_mpi())                                                                                  \
  GTEST_SKIP() << "no mpirun.openmpi (package openmpi-bin)"

const std::string draw = std::string(RANKS_PROGRAM) + " ";
const std::string only_library = std::string("-x LD_PRELOAD=") + DETSHIM_LIBRARY + " ";

Result check(const TemporaryFolder& scratch, const std::vector<std::string>& more = {}) {
  Lines command = {DETSHIM_COMMAND, "log", "--check"};
  command.insert(command.end(), more.begin(), more.end());
  return run(command, {}, scratch.path());
}

Lines in_job(const std::string& script, const Environment& more = {}) {
  const TemporaryFolder scratch;
  const Result result = under_run(scratch, script, more);
  EXPECT_EQ(result.status, 0) << result.err;
  return lines_of(result.out);
}

/// `script` of two jobs at once, which prints `count` lines. Two mpiruns of Open MPI that start and
/// end at one time now and then lose a rank's line, or one of them does not start.
Lines in_jobs_at_once(const std::string& script, std::size_t count) {
  Lines lines;
  for (int tries = 0; tries < 5 && lines.size() != count; ++tries)
    lines = in_job(script);
  EXPECT_EQ(lines.size(), count) << script;
  return lines;
}

/// A launcher agent that is a second machine: whatever it starts has an empty environment. `env`
/// itself, which ssh would start over there, is not a program of the run.
std::string second_node(const TemporaryFolder& scratch) {
  const std::filesystem::path agent = scratch.path() / "agent";
  std::ofstream(agent) << contents(PROGRAMS "second_node.sh");
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  return mpirun + "--host localhost:2,another:2 --mca plm_rsh_agent " + agent.string() + " -np 4 ";
}

std::size_t runs_in(const std::filesystem::path& folder) {
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    runs += entry.is_directory() && !entry.is_symlink() ? 1 : 0;
  return runs;
}

/// When the run began, as each of its processes says it.
std::set<std::uint64_t> beginnings_in(const std::filesystem::path& folder) {
  std::set<std::uint64_t> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl")
      continue;
    std::string line;
    std::getline(std::ifstream(entry.path()) >> std::ws, line);
    found.insert(nlohmann::json::parse(line)["begun"].get<std::uint64_t>());
  }
  return found;
}

// ---- One run ----

TEST(Job, OfRanksLaunchedOneByOneIsOneRun) {
  NEEDS_MPI();
  const TemporaryFolder scratch;
  const std::string choose =
      "'[ $OMPI_COMM_WORLD_RANK = 2 ] && exec " RANKS_STATIC "; exec " + draw + "'";
  Environment environment = mpi_as_root;
  environment["DETSHIM_SEED"] = "42";
  const Result result =
      run({"sh", "-c", mpirun + "-np 3 " + only_library + "-x DETSHIM_SEED sh -c " + choose},
          environment, scratch.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(runs_in(scratch.path() / "detshim-log"), 1u);
  EXPECT_EQ(lines_of(result.err, "detshim: seed 42").size(), 1u) << result.err;
  const Result log = check(scratch);
  EXPECT_EQ(log.status, 3) << "rank 2 executed a program that no library is in\n" << log.out;
  EXPECT_EQ(document_of(scratch)["ranks"], 3);
  EXPECT_NE(log.out.find("rank 2 of 3, node "), std::string::npos) << log.out;
}

TEST(Job, WithoutASeedHasOne) {
  NEEDS_MPI();
  const TemporaryFolder scratch;
  const std::string command = mpirun + "-np 3 " + only_library;
  const Result result = run({"sh", "-c", command + draw}, mpi_as_root, scratch.path());
  const Lines said = lines_of(result.err, "Using seed: ");
  ASSERT_EQ(said.size(), 1u) << result.err;
  EXPECT_EQ(drawn(lines_of(result.out)).size(), 3u) << result.out;
  const std::string again = said[0].substr(said[0].find("DETSHIM_SEED="));
  const TemporaryFolder other;
  const Result replayed = run(
      {"sh", "-c", "export " + again + "; " + command + "-x DETSHIM_SEED -x DETSHIM_MODE " + draw},
      mpi_as_root, other.path());
  EXPECT_EQ(lines_of(replayed.out), lines_of(result.out)) << replayed.err;
  const TemporaryFolder third;
  EXPECT_NE(lines_of(run({"sh", "-c", command + draw}, mpi_as_root, third.path()).out),
            lines_of(result.out));
}

TEST(Job, TwiceInOneFolderIsTwoRuns) {
  NEEDS_MPI();
  const TemporaryFolder scratch;
  for (int i = 0; i < 2; ++i)
    run({"sh", "-c", mpirun + "-np 2 " + only_library + draw}, mpi_as_root, scratch.path());
  EXPECT_EQ(runs_in(scratch.path() / "detshim-log"), 2u);
}

// What starts the ranks of a job names it by no more than an address and a port, as many scripts
// do.
TEST(Job, NamedByAnAddressIsOneRunEachTime) {
  const auto start = [](const TemporaryFolder& scratch, const std::string& ranks,
                        const Environment& more = {}) {
    Environment environment = {{"WORLD_SIZE", "3"},
                               {"MASTER_ADDR", "127.0.0.1"},
                               {"MASTER_PORT", "29500"},
                               {"RANKS", ranks}};
    for (const auto& [name, value] : more)
      environment[name] = value;
    const Result result =
        run({"sh", "-c",
             "for r in $RANKS; do RANK=$r LD_PRELOAD=" DETSHIM_LIBRARY " " + draw + "& done; wait"},
            environment, scratch.path());
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  };
  const TemporaryFolder scratch;
  const Lines first = lines_of(start(scratch, "0 1 2", {{"DETSHIM_SEED", "42"}}).out);
  EXPECT_EQ(drawn(first).size(), 3u);
  EXPECT_EQ(runs_in(scratch.path() / "detshim-log"), 1u);
  EXPECT_EQ(beginnings_in(scratch.path() / "detshim-log").size(), 1u);
  EXPECT_EQ(check(scratch).status, 0) << check(scratch).out;
  EXPECT_EQ(lines_of(start(scratch, "2 1 0", {{"DETSHIM_SEED", "42"}}).out), first);
  EXPECT_EQ(runs_in(scratch.path() / "detshim-log"), 2u) << "the job again, in the same folder";
  EXPECT_EQ(check(scratch).status, 0) << check(scratch).out;
  start(scratch, "0 2", {{"DETSHIM_SEED", "42"}});
  EXPECT_EQ(missing_ranks(scratch), Lines{": 1 of 3"});

  const TemporaryFolder other;
  const Result drawn_seed = start(other, "0 1 2");
  EXPECT_EQ(lines_of(drawn_seed.err, "Using seed: ").size(), 1u) << drawn_seed.err;
  EXPECT_NE(lines_of(start(other, "0 1 2").err, "Using seed: "),
            lines_of(drawn_seed.err, "Using seed: "));
}

TEST(Check, JudgesEveryRunOfAFolder) {
  const TemporaryFolder scratch;
  const Environment shim = under_shim(scratch, {{"DETSHIM_SEED", "42"}});
  ASSERT_EQ(run({"sh", "-c", RANKS_STATIC}, shim).status, 0);
  const std::string folder = scratch.log().string();
  EXPECT_EQ(run({DETSHIM_COMMAND, "log", folder, "--check"}).status, 3);
  ASSERT_EQ(run({RANKS_PROGRAM}, shim).status, 0);
  const Result both = run({DETSHIM_COMMAND, "log", folder, "--check"});
  EXPECT_EQ(both.status, 3) << both.out;
  EXPECT_NE(both.out.find(": partial - "), std::string::npos) << both.out;
  const Result json = run({DETSHIM_COMMAND, "log", folder, "--json"});
  const std::string newest = nlohmann::json::parse(json.out)["run"];
  std::string older = nlohmann::json::parse(json.out)["other_runs"][0];
  // Both may have begun in one second: which is the newer one, their names decide.
  std::set<int> statuses;
  for (const std::string& run_name : {newest, older})
    statuses.insert(run({DETSHIM_COMMAND, "log", folder, "--check", "--run", run_name}).status);
  EXPECT_EQ(statuses, (std::set<int>{0, 3}));
}

// ---- Ranks that nobody sees ----

TEST(Nodes, GetTheLibraryByTheLaunchersMeans) {
  NEEDS_MPI();
  const Lines here = in_job(mpirun + "-np 4 " + draw);
  const TemporaryFolder scratch;
  const std::string elsewhere = second_node(scratch);
  ASSERT_EQ(here.size(), 4u);
  EXPECT_EQ(in_job(elsewhere + draw), here) << "in a script";
  Lines command = {DETSHIM_COMMAND, "run", "--seed", "42", "--library", DETSHIM_LIBRARY, "--"};
  for (std::string rest = elsewhere + "-x HOME " + draw; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (blank > 0)
      command.push_back(rest.substr(0, blank));
    rest.erase(0, blank + 1);
  }
  const Result direct = run(command, mpi_as_root, scratch.path());
  EXPECT_EQ(lines_of(direct.out), here) << direct.err;
  EXPECT_EQ(check(scratch).status, 0) << check(scratch).out;
}

TEST(Nodes, WithoutItAreSeen) {
  NEEDS_MPI();
  const TemporaryFolder scratch;
  const Result result =
      under_run(scratch, second_node(scratch) + "-x HOME " + draw); // and nothing else
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(check(scratch).status, 3);
  EXPECT_EQ(missing_ranks(scratch), Lines{"mpirun.openmpi: 2 of 4"});
}

TEST(Nodes, WithoutItAreSeenIfTheyAreAll) {
  NEEDS_MPI();
  const TemporaryFolder scratch;
  second_node(scratch);
  const std::string elsewhere =
      mpirun + "--host another:2 --mca plm_rsh_agent ./agent -np 2 -x HOME ";
  const Result result = under_run(scratch, draw + "; " + elsewhere + draw);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(check(scratch).status, 3);
  EXPECT_EQ(missing_ranks(scratch), Lines{"mpirun.openmpi: 1 of 0"}) << "how many, none has said";
}

TEST(Run, SaysWhatItCannotHandOver) {
  const TemporaryFolder scratch;
  const std::filesystem::path ssh = scratch.path() / "ssh";
  std::ofstream(ssh) << "#!/bin/sh\n";
  std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
  const Result result = run(detshim_run(scratch, {"--seed", "42"}, {ssh.string(), "host", "true"}));
  EXPECT_NE(result.err.find("detshim: ssh starts its program elsewhere"), std::string::npos)
      << result.err;
}

/// True if equal runs of a job that mpirun starts are kept as evidence for later ones.
bool is_evidence(const TemporaryFolder& scratch, const std::string& launch) {
  Lines words = {DETSHIM_COMMAND, "verify", "--seed", "42", "--library", DETSHIM_LIBRARY, "--"};
  std::istringstream command(launch);
  for (std::string word; command >> word;)
    words.push_back(word);
  words.insert(words.end(), {"sh", "-c", draw + " >drawn.$OMPI_COMM_WORLD_RANK; echo done"});
  const Result verified = run(words, mpi_as_root, scratch.path());
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  return std::filesystem::exists(scratch.path() / "detshim-evidence.json");
}

// Which files a job's processes used is listed from the launcher on.
TEST(Job, OfEqualRunsIsEvidenceForLaterOnes) {
  NEEDS_MPI();
  EXPECT_TRUE(is_evidence(TemporaryFolder(), mpirun + "-np 2 "));
}

/// Whether what the environment of the folder's last run says of the files that it used is whole.
bool knows_used_files(const TemporaryFolder& scratch) {
  EXPECT_EQ(run({DETSHIM_COMMAND, "env", "capture", "detshim-log/latest", "-o", "environment.json"},
                {}, scratch.path())
                .status,
            0);
  const auto environment = nlohmann::json::parse(contents(scratch.path() / "environment.json"));
  return !environment["sections"]["code"]["unknown"].contains("file");
}

// What ranks on another machine used is not known.
TEST(Job, OnTwoMachinesHasFilesThatAreNotKnown) {
  NEEDS_MPI();
  const TemporaryFolder scratch;
  ASSERT_EQ(under_run(scratch, mpirun + "-np 2 " + draw).status, 0);
  EXPECT_TRUE(knows_used_files(scratch));
  const std::filesystem::path log = scratch.path() / "detshim-log/latest";
  for (const auto& entry : std::filesystem::directory_iterator(log))
    if (entry.path().extension() == ".ranks") {
      auto mark = nlohmann::ordered_json::parse(lines(contents(entry.path())).back());
      mark["node"] = "another";
      std::ofstream(log / "another.ranks") << mark.dump() << '\n';
      break;
    }
  EXPECT_FALSE(knows_used_files(scratch));
}

// ---- Jobs ----

TEST(Jobs, OfSpawnedRanksDrawApart) {
  NEEDS_MPI();
  if (!std::filesystem::exists(MPI_PROGRAMS "spawn"))
    GTEST_SKIP() << "no mpicc.openmpi (package libopenmpi-dev)";
  const Lines first = in_job(mpirun + "-np 2 " MPI_PROGRAMS "spawn");
  ASSERT_EQ(first.size(), 6u);
  EXPECT_EQ(drawn(first).size(), 6u);
  EXPECT_EQ(in_job(mpirun + "-np 2 " MPI_PROGRAMS "spawn"), first);
}

TEST(Jobs, AtOnceDrawApartAndOneAfterTheOtherAlike) {
  NEEDS_MPI();
  const auto job = [](const char* label) {
    return mpirun + "-np 2 " + draw + label;
  };
  const Lines one = in_job(job("a"));
  const Lines after = in_job(job("a") + "; " + job("b"));
  ASSERT_EQ(after.size(), 4u);
  EXPECT_EQ(drawn(after), drawn(one)) << "a job that is started again is itself again";
  const std::string both = job("a") + "& " + job("b") + "& wait";
  const Lines at_once = in_jobs_at_once(both, 4);
  ASSERT_EQ(at_once.size(), 4u);
  EXPECT_EQ(drawn(at_once).size(), 4u);
  EXPECT_EQ(Lines(at_once.begin(), at_once.begin() + 2), one) << "the first keeps its names";
  EXPECT_EQ(in_jobs_at_once(both, 4), at_once);
}

// Small here; docs/LAUNCHERS.md has the output of the large one.
TEST(Jobs, HaveNoTwoStreamsAlike) {
  NEEDS_MPI();
  const std::string two =
      mpirun + "-np 4 " + draw + "a 3 2 & " + mpirun + "-np 4 " + draw + "b 3 2 & wait";
  const std::size_t count = 2 * 4 * 3 * 2;
  const Lines first = in_jobs_at_once(two, count);
  ASSERT_EQ(first.size(), count);
  EXPECT_EQ(drawn(first).size(), count);
  EXPECT_EQ(in_jobs_at_once(two, count), first);
}

class Array : public testing::TestWithParam<const char*> {};

TEST_P(Array, TasksDrawApart) {
  const std::string variable = GetParam();
  const Lines alone = in_job(draw);
  const Lines ranks = in_job("RANK=0 " + draw + "; RANK=1 " + draw);
  std::set<std::string> all = drawn(alone);
  all.merge(drawn(ranks));
  ASSERT_EQ(all.size(), 3u);
  for (const char* task : {"1", "2", "17"}) {
    const Lines here = in_job(draw, {{variable, task}});
    EXPECT_EQ(in_job(draw, {{variable, task}}), here);
    EXPECT_EQ(in_job(variable + "=" + task + " " + draw), here) << "wherever it is set";
    const Lines its_ranks = in_job("RANK=0 " + draw + "; RANK=1 " + draw, {{variable, task}});
    for (const std::string& value : drawn(here))
      EXPECT_TRUE(all.insert(value).second) << task;
    for (const std::string& value : drawn(its_ranks))
      EXPECT_TRUE(all.insert(value).second) << task;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Array,
                         testing::Values("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "LSB_JOBINDEX",
                                         "SGE_TASK_ID"),
                         [](const auto& tested) {
                           return std::string(tested.param);
                         });

TEST(Array, TaskWithoutTheVariableInAChildIsNoOtherTask) {
  const Lines both =
      in_job(draw + "a; env -u SLURM_ARRAY_TASK_ID " + draw + "b", {{"SLURM_ARRAY_TASK_ID", "3"}});
  EXPECT_EQ(drawn(both).size(), 2u);
}

// ---- Rank 0 is rank 0 ----

TEST(RankZero, IsTheSameInABatchJob) {
  NEEDS_MPI();
  const std::string twice = mpirun + "-np 2 " + draw + "a; " + mpirun + "-np 2 " + draw + "b";
  const Lines outside = in_job(twice);
  EXPECT_EQ(in_job(twice, {{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}),
            outside)
      << "sbatch";
  EXPECT_EQ(in_job(twice,
                   {{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "4294967290"}}),
            outside)
      << "the shell of salloc";
  EXPECT_EQ(drawn(in_job(draw, {{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}})),
            drawn(in_job(draw)))
      << "no launcher";
}

TEST(RankZero, IsWhatTheNearestLauncherSays) {
  NEEDS_MPI();
  const Environment task = {{"SLURM_JOB_ID", "7"},
                            {"SLURM_PROCID", "0"},
                            {"SLURM_STEP_ID", "0"},
                            {"SLURM_STEP_NUM_TASKS", "1"}};
  const std::string job = mpirun + "-np 2 " + draw;
  EXPECT_EQ(in_job(job, task), in_job(job)) << "srun -n1 mpirun";
  EXPECT_EQ(drawn(in_job(draw + "a; " + job + "b", task)).size(), 3u);
}

// ---- Threads ----

TEST(Threads, OfRanksAreTheLaunchersToChoose) {
  NEEDS_MPI();
  const std::string show = mpirun + "-np 1 sh -c 'echo threads ${OMP_NUM_THREADS:-unset}'";
  EXPECT_EQ(in_job(show), Lines{"threads unset"}) << "in a script";
  EXPECT_EQ(in_job(show, {{"OMP_NUM_THREADS", "3"}}), Lines{"threads 3"}) << "the user's own";
  EXPECT_EQ(in_job("echo ${OMP_NUM_THREADS:+set}"), Lines{"set"});
  const TemporaryFolder scratch;
  const Result direct = run(detshim_run(scratch, {"--seed", "42", "--quiet"},
                                        {"mpirun.openmpi", "--oversubscribe", "-np", "1", "sh",
                                         "-c", "echo threads ${OMP_NUM_THREADS:-unset}"}),
                            mpi_as_root);
  EXPECT_EQ(direct.out, "threads unset\n") << direct.err;
}

// ---- Infrastructure ----

TEST(Infrastructure, DrawsFromStreamsOfItsOwn) {
  const auto drawn_with = [](const char* times) {
    return in_job(std::string(ON_FABRIC " ") + times);
  };
  const Lines without = drawn_with("0");
  ASSERT_EQ(without.size(), 4u);
  EXPECT_EQ(drawn(without).size(), 4u);
  EXPECT_EQ(drawn_with("1"), without) << "one component";
  EXPECT_EQ(drawn_with("20"), without) << "another";
}

// ---- What the log says ----

TEST(LogOfRanks, SaysWhichOneMadeABadCall) {
  NEEDS_MPI();
  const TemporaryFolder scratch;
  const Result result = under_run(
      scratch,
      mpirun + "-np 4 sh -c '[ $OMPI_COMM_WORLD_RANK = 2 ] && " RANKS_STATIC "; " + draw + "'");
  ASSERT_EQ(result.status, 0) << result.err;
  const Result log = check(scratch);
  EXPECT_NE(log.out.find("on     rank 2 of 4, node "), std::string::npos) << log.out;
}

TEST(LogOfRanks, HasTheRankOfAStaticProgram) {
  const TemporaryFolder scratch;
  under_run(scratch, "RANK=377 " RANKS_STATIC);
  const nlohmann::json document = document_of(scratch);
  std::set<std::string> ranks; // the shell that starts it is of none
  for (const auto& record : document["records"])
    if (record["action"] == "uncovered")
      ranks.insert(record["fields"].value("rank", "none"));
  EXPECT_EQ(ranks, std::set<std::string>{"377"}) << document["records"];
}

} // namespace
