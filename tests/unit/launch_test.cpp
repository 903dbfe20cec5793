// What launchers say in the environment.
#include "common/launch.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

using namespace detshim;

namespace {

using Variables = std::map<std::string, std::string>;

Launch read(const Variables& variables, uint64_t stale = 0) {
  const auto value = [](const char* name, const void* data) -> const char* {
    const auto& all = *static_cast<const Variables*>(data);
    const auto found = all.find(name);
    return found == all.end() ? nullptr : found->second.c_str();
  };
  return read_launch({value, &variables}, stale);
}

const Variables open_mpi = {
    {"OMPI_COMM_WORLD_RANK", "3"},
    {"OMPI_COMM_WORLD_SIZE", "8"},
    {"PMIX_RANK", "3"},
    {"PMIX_NAMESPACE", "874774529"},
    {"OMPI_MCA_ess_base_jobid", "874774529"},
    {"OMPI_MCA_orte_hnp_uri", "874774528.0;tcp://192.0.2.2:54397"},
    {"OMPI_MCA_orte_precondition_transports", "4f87775d64bdbe23-1eb3897172e53870"}};
const Variables slurm = {{"SLURM_JOB_ID", "12"}, {"SLURM_STEP_ID", "2"},
                         {"SLURM_PROCID", "5"},  {"SLURM_STEP_NUM_TASKS", "6"},
                         {"SLURM_NTASKS", "9"},  {"SLURM_CLUSTER_NAME", "one"}};

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more)
    variables[name] = value;
  return variables;
}

TEST(Launch, OfOpenMpi) {
  const Launch launch = read(open_mpi);
  EXPECT_TRUE(launch.has_rank);
  EXPECT_EQ(launch.rank, 3u);
  EXPECT_EQ(launch.size, 8u);
  EXPECT_EQ(launch.spawn, 0u);
  EXPECT_NE(launch.job, 0u);
  EXPECT_FALSE(launch.job_is_local);
  EXPECT_EQ(read(with(open_mpi, {{"OMPI_COMM_WORLD_RANK", "4"}})).job, launch.job)
      << "another rank of it";
  EXPECT_NE(read(with(open_mpi, {{"OMPI_MCA_orte_precondition_transports", "5-6"}})).job,
            launch.job);
  const Launch spawned = read(with(open_mpi, {{"OMPI_MCA_ess_base_jobid", "874774531"},
                                              {"OMPI_PARENT_PORT", "874774529.0:4167931218"}}));
  EXPECT_EQ(spawned.spawn, 2u);
  EXPECT_EQ(spawned.job, launch.job) << "one run with the ranks that spawned it";
}

TEST(Launch, OfSlurm) {
  const Launch launch = read(slurm);
  EXPECT_EQ(launch.rank, 5u);
  EXPECT_EQ(launch.size, 6u);
  EXPECT_EQ(launch.step, 2u);
  EXPECT_NE(launch.job, 0u);
  EXPECT_EQ(read(with(slurm, {{"PMIX_RANK", "5"}, {"PMIX_NAMESPACE", "slurm.pmix.12.2"}})).job,
            launch.job);
  for (const char* step : {"4294967291", "4294967290"})
    EXPECT_FALSE(read(with(slurm, {{"SLURM_STEP_ID", step}})).has_rank)
        << "a batch script, salloc's shell";
  EXPECT_NE(read(with(slurm, {{"SLURM_STEP_ID", "3"}})).job, launch.job);
  EXPECT_NE(read(with(slurm, {{"SLURM_RESTART_COUNT", "1"}})).job, launch.job);
  const Launch batch = read({{"SLURM_JOB_ID", "12"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "9"}});
  EXPECT_FALSE(batch.has_rank);
}

TEST(Launch, OfTheNearestLauncher) {
  const Launch both = read(with(slurm, open_mpi));
  EXPECT_EQ(both.rank, 3u);
  EXPECT_EQ(both.step, 0u) << "the step is mpirun's own";
  EXPECT_EQ(read(with(slurm, open_mpi), rank_of_open_mpi | rank_of_pmix).rank, 5u)
      << "srun within a rank of MPI";
  EXPECT_FALSE(read(open_mpi, rank_of_open_mpi | rank_of_pmix).has_rank);
  EXPECT_EQ(read(with(slurm, {{"RANK", "1"}, {"WORLD_SIZE", "2"}})).rank, 1u);
}

TEST(Launch, OfOthers) {
  const Launch torch = read({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "none"}});
  EXPECT_EQ(torch.size, 2u);
  EXPECT_TRUE(torch.job_is_local) << "its default names repeat";
  EXPECT_EQ(read({{"RANK", "1"}, {"WORLD_SIZE", "2"}}).job, 0u);
  const Launch script =
      read({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "b6"}, {"MASTER_PORT", "1"}});
  EXPECT_NE(script.job, 0u);
  EXPECT_TRUE(script.job_repeats);
  const Launch hydra =
      read({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"PMI_FD", "9"}, {"PMI_SPAWNED", "1"}});
  EXPECT_EQ(hydra.size, 4u);
  EXPECT_EQ(hydra.spawn, 1u);
  for (const char* nonsense :
       {"", "x", "-1", "1x", "0x1", "99999999999999999999999", "18446744073709551617"})
    EXPECT_FALSE(read({{"RANK", nonsense}}).has_rank) << nonsense;
}

TEST(Launch, OfArrays) {
  EXPECT_EQ(read({{"SLURM_ARRAY_TASK_ID", "0"}}).array, 1u);
  EXPECT_EQ(read({{"PBS_ARRAY_INDEX", "7"}}).array, 8u);
  EXPECT_EQ(read({{"LSB_JOBINDEX", "0"}}).array, 0u) << "no array";
  EXPECT_EQ(read({{"SGE_TASK_ID", "undefined"}}).array, 0u);
}

TEST(Launchers, AreKnownByTheirNames) {
  EXPECT_TRUE(launcher_of("/usr/bin/mpirun", nullptr, nullptr).starts_own_job);
  EXPECT_TRUE(launcher_of("srun", nullptr, nullptr).numbers_its_jobs);
  EXPECT_STREQ(launcher_of("python3.11", "/usr/bin/torchrun", "train.py").name, "torchrun");
  EXPECT_STREQ(launcher_of("python3", "-m", "torch.distributed.run").name, "torch.distributed.run");
  for (const char* program : {"python3", "sh", "train", "mpirun.sh", "ssh"})
    EXPECT_FALSE(launcher_of(program, "-m", "timeit")) << program;
}

TEST(Jobs, HaveNamesAndKeys) {
  Job job;
  EXPECT_EQ(first_key(42, 1, job), first_key(42, 1, {}));
  job.add("array", 3);
  Job other;
  other.add("array", 4);
  EXPECT_STREQ(job.text, "array 3");
  EXPECT_NE(first_key(42, 1, job), first_key(42, 1, other));
  job.add("spawn", 1);
  EXPECT_STREQ(job.text, "array 3, spawn 1");
  for (int i = 0; i < 10; ++i)
    job.add("spawn", 1); // longer than there is room for
  EXPECT_LT(std::string(job.text).size(), sizeof job.text);
}

} // namespace
