#include "common/launch.h"

#include "common/philox.h"
#include "common/text.h"

#include <initializer_list>

namespace detshim {
namespace {

// Labels of derivation, apart from all ordinals, as those in common/names.h.
constexpr uint64_t label_rank = 0x72616E6B00000000;
constexpr uint64_t label_job = 0x776F726C00000000;

/// A whole number in decimal and nothing else.
bool read_number(const char* text, uint64_t& number, uint64_t highest) {
  if (text == nullptr || *text == 0)
    return false;
  uint64_t result = 0;
  for (; *text != 0; ++text) {
    if (*text < '0' || *text > '9' || result > highest)
      return false;
    result = result * 10 + static_cast<uint64_t>(*text - '0');
  }
  number = result;
  return result <= highest;
}

/// The number that a text ends in: "prterun-b7-4711@2", "769916930".
uint64_t last_number(const char* text) {
  const char* end = text + text_length(text);
  const char* begin = end;
  while (begin > text && begin[-1] >= '0' && begin[-1] <= '9')
    --begin;
  uint64_t number = 0;
  return read_number(begin, number, ~uint64_t{0} / 16) ? number : 0;
}

uint64_t hash(uint64_t value, const char* text) {
  for (; *text != 0; ++text)
    value = derive(value, static_cast<unsigned char>(*text));
  return derive(value, 0x100);
}

struct NamedVariable {
  RankVariable bit;
  const char* rank;
  const char* sizes[3];
};
constexpr NamedVariable variables[] = {
    {rank_of_torch, "RANK", {"WORLD_SIZE"}},
    {rank_of_open_mpi, "OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE"}},
    {rank_of_pmix, "PMIX_RANK", {}},
    {rank_of_pmi, "PMI_RANK", {"PMI_SIZE"}},
    {rank_of_slurm, "SLURM_PROCID", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"}},
    {rank_of_mvapich, "MV2_COMM_WORLD_RANK", {"MV2_COMM_WORLD_SIZE"}},
};

constexpr uint64_t first_special_step = 0xfffffff0; // the batch script, the shell of salloc

/// Slurm numbers its tasks by a variable that a batch script has as well, which is no task of a
/// step.
bool is_task_of_slurm(const EnvironmentReader& environment) {
  uint64_t step = 0;
  if (read_number(environment("SLURM_STEP_ID"), step, 0xffffffff))
    return step < first_special_step;
  return environment("SLURM_JOB_ID") == nullptr;
}

uint64_t read_size(const EnvironmentReader& environment, const NamedVariable& variable) {
  uint64_t size = 0;
  for (const char* const name : variable.sizes)
    if (name != nullptr && size == 0)
      read_number(environment(name), size, highest_rank);
  return size;
}

void read_rank(const EnvironmentReader& environment, uint64_t stale, Launch& launch) {
  for (const NamedVariable& variable : variables) {
    uint64_t rank = 0;
    if (!read_number(environment(variable.rank), rank, highest_rank))
      continue;
    if (variable.bit == rank_of_slurm && !is_task_of_slurm(environment))
      continue;
    launch.variables |= variable.bit;
    if (launch.has_rank || (stale & variable.bit) != 0)
      continue;
    launch.has_rank = true;
    launch.rank = rank;
    launch.variable = variable.bit;
    launch.size = read_size(environment, variable);
  }
  // Slurm's plugins for MPI: its own variables say more.
  const NamedVariable& slurm = variables[4];
  uint64_t task = 0;
  if ((launch.variable == rank_of_pmix || launch.variable == rank_of_pmi) &&
      (launch.variables & ~stale & rank_of_slurm) != 0 && environment("SLURM_STEP_ID") != nullptr &&
      read_number(environment(slurm.rank), task, highest_rank) && task == launch.rank &&
      (launch.size == 0 || launch.size == read_size(environment, slurm))) {
    launch.variable = rank_of_slurm;
    launch.size = read_size(environment, slurm);
  }
}

void read_array(const EnvironmentReader& environment, Launch& launch) {
  for (const char* const name :
       {"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "SGE_TASK_ID", "LSB_JOBINDEX"}) {
    uint64_t index = 0;
    if (launch.array != 0 || !read_number(environment(name), index, highest_rank))
      continue;
    const bool is_of_lsf =
        name[0] == 'L'; // which counts from 1, and says 0 where there is no array
    if (!is_of_lsf || index != 0)
      launch.array = index + 1;
  }
}

/// Adds what is set of those variables; false, and nothing, if the first is not.
bool add(uint64_t& job, const EnvironmentReader& environment,
         std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const char* const value = environment(name);
    const bool is_set = value != nullptr && *value != 0;
    if (!is_set && name == *names.begin())
      return false;
    if (is_set)
      job = hash(hash(job, name), value);
  }
  return true;
}

// What a launcher alone says of the job: false where it says nothing that names it.

bool read_open_mpi_job(const EnvironmentReader& environment, Launch& launch, uint64_t& job) {
  const char* const id = environment("OMPI_MCA_ess_base_jobid");
  const char* const name = environment("PMIX_NAMESPACE");
  // Jobs of one mpirun are numbered in the low 16 bits, from 1.
  if (id != nullptr || name != nullptr) {
    const uint64_t number = last_number(id != nullptr ? id : name) & 0xffff;
    launch.spawn = number > 1 && environment("OMPI_PARENT_PORT") != nullptr ? number - 1 : 0;
  }
  // Drawn by mpirun for each time that it is started, since Open MPI 1.3.
  if (add(job, environment, {"OMPI_MCA_orte_precondition_transports", "OMPI_MCA_orte_hnp_uri"}))
    return true;
  if (name == nullptr)
    return false;
  for (const char* c = name; *c != 0 && *c != '@'; ++c)
    job = derive(job, static_cast<unsigned char>(*c));
  launch.job_is_local = true;
  return true;
}

bool read_slurm_job(const EnvironmentReader& environment, Launch& launch, uint64_t& job) {
  if (environment("SLURM_STEP_ID") == nullptr)
    return false;
  // The port is srun's: numbers of jobs begin anew with a new controller.
  if (!add(job, environment,
           {"SLURM_JOB_ID", "SLURM_CLUSTER_NAME", "SLURM_STEP_ID", "SLURM_RESTART_COUNT",
            "SLURM_STEP_LAUNCHER_PORT"}))
    return false;
  read_number(environment("SLURM_STEP_ID"), launch.step, first_special_step);
  return true;
}

bool read_torch_job(const EnvironmentReader& environment, Launch& launch, uint64_t& job) {
  if (add(job, environment, {"TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT"})) {
    launch.job_is_local = true; // torchrun, whose default names repeat
    return true;
  }
  const bool has_address =
      add(job, environment, {"MASTER_ADDR"}) && add(job, environment, {"MASTER_PORT"});
  if (!has_address || launch.size <= 1)
    return false;
  job = derive(job, launch.size);
  launch.job_repeats = true;
  return true;
}

/// Hydra names no job.
bool read_pmi_job(const EnvironmentReader& environment, Launch& launch, uint64_t&) {
  if (environment("PMI_FD") == nullptr && environment("PMI_PORT") == nullptr)
    return false;
  read_number(environment("PMI_SPAWNED"), launch.spawn, 1);
  launch.job_is_local = true;
  return true;
}

struct JobReader {
  uint64_t variables; ///< by which the rank was known
  bool (*read)(const EnvironmentReader&, Launch&, uint64_t& job);
};
constexpr JobReader job_readers[] = {
    {rank_of_open_mpi | rank_of_pmix, read_open_mpi_job},
    {rank_of_slurm, read_slurm_job},
    {rank_of_torch, read_torch_job},
    {rank_of_pmi, read_pmi_job},
};

void read_job(const EnvironmentReader& environment, Launch& launch) {
  for (const JobReader& reader : job_readers) {
    uint64_t job = 0x6A6F62;
    if ((reader.variables & launch.variable) != 0 && reader.read(environment, launch, job))
      launch.job = job;
  }
}

/// The launcher of that name, if it is in the list.
template <size_t Size>
Launcher named(const char* name, const char* const (&names)[Size], const Launcher& kind) {
  for (const char* const known : names)
    if (same_text(name, known))
      return {kind.variables, kind.starts_own_job, kind.numbers_its_jobs, known};
  return {};
}

constexpr uint64_t rank_of_any_mpi =
    rank_of_open_mpi | rank_of_pmix | rank_of_pmi | rank_of_mvapich;
constexpr Launcher mpi = {rank_of_any_mpi, true, false};
constexpr Launcher slurm = {rank_of_slurm | rank_of_pmi | rank_of_pmix | rank_of_mvapich, true,
                            true, "srun"};
constexpr Launcher torch = {rank_of_torch, false, false};

} // namespace

void Job::add(const char* kind, const char* name, uint64_t own_key) {
  key = derive(hash(key, kind), own_key);
  Text<sizeof(JobText)> longer;
  longer.add(text).add(*text != 0 ? ", " : "").add(kind).add(' ').add(name);
  __builtin_memcpy(text, longer.c_str(), longer.length() + 1);
}

void Job::add(const char* kind, uint64_t n) {
  Text<24> number;
  number.add(n);
  add(kind, number.c_str(), n);
}

Launch read_launch(const EnvironmentReader& environment, uint64_t stale) {
  Launch launch;
  read_rank(environment, stale, launch);
  read_array(environment, launch);
  if (launch.has_rank)
    read_job(environment, launch);
  return launch;
}

Launcher launcher_of(const char* program, const char* first_argument, const char* second_argument) {
  static constexpr const char* mpi_names[] = {"mpirun",       "mpiexec",        "orterun",
                                              "prterun",      "mpirun.openmpi", "mpiexec.openmpi",
                                              "mpirun.mpich", "mpiexec.mpich",  "mpiexec.hydra",
                                              "mpirun.hydra", "mpirun_rsh",     "oshrun"};
  static constexpr const char* torch_names[] = {"torchrun", "accelerate", "deepspeed"};
  static constexpr const char* torch_modules[] = {
      "torch.distributed.run", "torch.distributed.launch", "torch.distributed.elastic",
      "accelerate.commands.launch", "deepspeed.launcher.launch"};
  program = file_name(program);
  if (same_text(program, slurm.name))
    return slurm;
  if (const Launcher launcher = named(program, mpi_names, mpi))
    return launcher;
  if (const Launcher launcher = named(program, torch_names, torch))
    return launcher;
  if (!starts_with(program, "python") || first_argument == nullptr)
    return {};
  if (const Launcher launcher = named(file_name(first_argument), torch_names, torch))
    return launcher;
  if (!same_text(first_argument, "-m") || second_argument == nullptr)
    return {};
  return named(second_argument, torch_modules, torch);
}

uint64_t first_key(uint64_t seed, uint64_t rank_plus_1, const Job& job) {
  const uint64_t root = job.key == 0 ? seed : derive(derive(seed, label_job), job.key);
  return derive(root, label_rank + rank_plus_1);
}

} // namespace detshim
