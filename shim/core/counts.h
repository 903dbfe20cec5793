// How often each record happened: counters in a page of the log that is mapped shared, so that they survive
// SIGKILL without a system call per draw. Layout: docs/LOG_FORMAT.md, "The counts file".
#pragma once

#include "core/describe.h"

#include <cstdint>

namespace detshim {

/// One counter. Only its own thread adds to `number`.
struct Counter {
  uint64_t number;
  uint32_t action;
  uint32_t zero;
};

/// A counter for a record of the calling thread, and its index in the counts file; index -1 where the file
/// could not be made and the counter lives in memory alone. Never nullptr.
Counter* new_counter(Action action, int64_t& index);

/// Where the counters of a process that begins go: that file, made if it is missing, or memory alone for
/// nullptr. Once in each process, because counters that were handed out stay in use. The path must stay where
/// it is.
void use_counts_file(const char* path);

/// True if there is a counts file of that name and another run made it: a process id came again.
bool is_of_another_run(const char* path);

/// Adds up the counters of this process by action.
void sum_own_counts(uint64_t (&sums)[action_count]);

/// Adds up the counters in a counts file of this run by action; false if it is none.
bool sum_file_counts(int fd, uint64_t (&sums)[action_count]);

} // namespace detshim
