// What launchers (mpirun, srun, torchrun, batch systems) tell the processes that they start: a
// rank, how many there are, and which job it is. docs/LAUNCHERS.md has the rules in words.
#pragma once

#include <cstdint>

namespace detshim {

inline constexpr uint64_t highest_rank = 0x7fffffff;

/// Reads a variable: of this process's environment, or of another's.
struct EnvironmentReader {
  const char* (*value)(const char* name, const void* data);
  const void* data = nullptr;

  const char* operator()(const char* name) const { return value(name, data); }
};

/// Variables by which a launcher tells a rank, as bits of a set.
enum RankVariable : uint64_t {
  rank_of_torch = 1,
  rank_of_open_mpi = 2,
  rank_of_pmix = 4,
  rank_of_pmi = 8,
  rank_of_slurm = 16,
  rank_of_mvapich = 32,
};

/// A readable name beside a job's number: "array 3, spawn 1".
using JobText = char[40];

/// The job that a process belongs to, beside other jobs of the same command: 0 is the only one that
/// most have.
struct Job {
  uint64_t key = 0;
  JobText text = {};

  /// Makes it one of several: the `n`-th of its kind, or the one that `name` tells apart.
  void add(const char* kind, uint64_t n);
  void add(const char* kind, const char* name, uint64_t key);
};

/// What the environment says.
struct Launch {
  bool has_rank = false;
  uint64_t rank = 0;
  uint64_t size = 0;          ///< number of ranks; 0 if nobody says
  RankVariable variable = {}; ///< the one that told the rank
  uint64_t variables = 0;     ///< set of those that hold a rank at all
  uint64_t array = 0;         ///< task of a batch system's array, from 1; 0 for none
  uint64_t spawn = 0;         ///< the n-th job that was made by MPI_Comm_spawn
  uint64_t step = 0;          ///< of Slurm's, where that told the rank
  uint64_t job = 0;           ///< names the job, the same for all its ranks; 0 if that is not known
  bool job_is_local =
      false; ///< the launcher's process has to be known as well to tell the job from another
  bool job_repeats = false; ///< the next job may have the same name: each has every rank once
};

/// Reads what the launcher nearest to the process says. `stale`: variables that were there before
/// that launcher, and are another's.
Launch read_launch(const EnvironmentReader& environment, uint64_t stale);

/// What kind of launcher a program is.
struct Launcher {
  uint64_t variables = 0; ///< which it sets; none: it is no launcher
  bool starts_own_job =
      false; ///< each process of it starts a job, as mpirun; false: they start one together
  bool numbers_its_jobs = false; ///< as srun does with its steps
  const char* name = "";         ///< of the program, or of Python's module

  explicit operator bool() const { return variables != 0; }
};

/// By the name of the program, and for Python's that of its script or module.
Launcher launcher_of(const char* program, const char* first_argument, const char* second_argument);

/// The key of a rank's first process. `rank_plus_1`: 0 without a rank.
uint64_t first_key(uint64_t seed, uint64_t rank_plus_1, const Job& job);

} // namespace detshim
