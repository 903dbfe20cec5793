// Ranks that no process of the run has started are one run all the same: they know each other by the name
// that their launcher gave the job, and agree on the run's name by a link in the folder of their logs.
#pragma once

#include "common/launch.h"

#include <cstdint>

namespace detshim {

using RunName = char[32];

struct Job {
  uint64_t key = 0;             ///< names it; 0: it has no name, or there is one process alone
  bool repeats = false;         ///< the next job may have that name as well
  bool has_other_ranks = false; ///< or may have
};

/// The job of the calling process, which a launcher started.
Job job_of(const Launch& launch);

/// The first rank to come names the run, the others take that name over: `run` is this one's choice, and what
/// was agreed on. Of jobs that have one name each has every rank once: what finds its own number taken is of
/// the next. Where no link can be made, this rank is a run of its own.
void agree_on_run(const Job& job, const char* folder, uint64_t rank, RunName& run);

/// The seed of a job where the user gave none, the same in all its ranks.
uint64_t drawn_seed(const Job& job, const RunName& run);

} // namespace detshim
