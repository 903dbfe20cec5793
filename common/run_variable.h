// DETSHIM_RUN, the one internal variable: what a process of a run tells those that it starts.
#pragma once

#include "common/launch.h"
#include "common/modes.h"
#include "common/text.h"

#include <cstdint>

namespace detshim {

/// A readable path that is cut when it grows long; the key beside it stays exact.
using PathText = char[64];

/// The variable's content: who a process is, in the run and in its tree of processes.
struct RunVariable {
  int root_pid = 0;   ///< the first process of the run
  int writer_pid = 0; ///< whose state this is; 0 if it was written for the process that reads it
  bool writer_drew = false; ///< something was drawn there, or it has children
  uint64_t rank_plus_1 =
      0;              ///< 0 for a process without a rank, and for a launcher: what it starts is new
  Job job;            ///< which of the run's jobs
  uint64_t array = 0; ///< the task of a batch system's array that the job knows of
  uint64_t branch =
      0; ///< names what runs beside another child of the same process; 0: nothing does
  bool is_beside_drawer =
      false; ///< a process that draws itself, or another child of it, started it
  uint64_t stale_ranks =
      0; ///< variables (common/launch.h) that were there before the nearest launcher
  uint64_t launcher = 0;  ///< names the nearest launcher before it; 0: none is known
  bool is_of_job = false; ///< the run's ranks found each other by the name of their job
  Mode mode = Mode::off;
  SeedPolicy policy = SeedPolicy::fixed;
  bool has_seed = false;
  bool seed_drawn = false; ///< drawn by detshim, not given by the user
  uint64_t seed = 0;
  uint64_t key = 0;
  uint64_t hidden = 0; ///< names the one child that reads the writer's own state now; 0: none does
  uint64_t handoffs = 0; ///< how often the name was handed from a wrapper to its first child
  uint64_t turn = 0; ///< how many children its parent had made before, whatever they were called
  bool device_replaced = false; ///< a descriptor that is inherited may be a replaced random device
  bool is_of_secret_script = false; ///< a script whose purpose is a secret draws by what it starts
  bool is_log_awaited =
      false; ///< the program before it, in its process, says in its log that this has one
  PathText path = {};
  char run[32] = {};
  uint64_t begun = 0; ///< when the run began, in microseconds since 1970
  bool log_is_default = false;
  const char* log_folder = ""; ///< not closed with a zero
  size_t log_folder_length = 0;
};

inline constexpr const char* run_variable_name = "DETSHIM_RUN";

/// What `detshim run` made OMP_NUM_THREADS, which a launcher does not hand to its ranks.
inline constexpr const char* own_threads_name = "_DETSHIM_THREADS";

/// The whole entry, name and all, as it stands in an environment.
using RunEntry = char[4096];

/// Writes the entry. The log folder may be the one that the entry already holds.
void write_run_entry(RunEntry& entry, const RunVariable& content);

/// Where a written entry holds the log folder: at the same place however often it is rewritten.
const char* folder_in_entry(const RunEntry& entry);

/// Reads the variable's value (what follows the `=`), pointing into it: false if it is damaged.
bool parse_run_variable(const char* value, RunVariable& content);

/// Reads this process's, pointing into its environment: false if it has no such variable. A damaged
/// one ends the process.
bool read_run_variable(RunVariable& content);

/// Value of an environment variable, read without libc; nullptr if it is not set.
const char* environment_value(const char* name);
/// The same of another environment.
const char* environment_value(const char* name, char* const* entries);

} // namespace detshim
