// Ranks that no process of the run has started are one run all the same: they know each other by the name
// that their launcher gave the job, and agree on the run's name by a link in the folder of their logs.
#pragma once

#include "common/launch.h"

#include <cstdint>

namespace detshim {

using RunName = char[32];

struct JobName {
  uint64_t key = 0;             ///< names it; 0: it has no name, or there is one process alone
  bool repeats = false;         ///< the next job may have that name as well
  bool has_other_ranks = false; ///< or may have
};

/// The job of the calling process, which a launcher started.
JobName job_name_of(const Launch& launch);

/// The first rank to come names the run, the others take that name over: `run` is this one's choice, and what
/// was agreed on. Of jobs that have one name each has every rank once: what finds its own number taken is of
/// the next. Where no link can be made, this rank is a run of its own. `begun`: as in RunVariable, of all the
/// time at which the link was made.
void agree_on_run(const JobName& job, const char* folder, uint64_t rank, RunName& run, uint64_t& begun);

/// The seed of a job where the user gave none, the same in all its ranks. Below 2^53, for every tool that
/// reads it.
uint64_t drawn_seed(const JobName& job, const RunName& run);

} // namespace detshim
