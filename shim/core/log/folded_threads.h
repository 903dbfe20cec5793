// Threads of which a program makes ever more: the records of those behind the first are one
// thread's, or the log and the counters would grow with each.
//
// Which threads have a name of their own follows from their names alone, so it is the same in every
// run. The others share the counters of their records.
#pragma once

#include "common/run_variable.h"
#include "core/log/counts.h"

#include <cstdint>

namespace detshim {

/// So many threads that the main thread made are told apart in the log, and so many that a timer
/// makes. Of those that thread n made, so many divided by n + 1 are, and so on: with makers of
/// makers, some thousands in all.
inline constexpr uint64_t threads_kept_apart = 1024;

/// The name under which the thread's records go: its own, or 0.* for 0.1025. False if it is its
/// own.
bool fold_name(const PathText& path, PathText& name);

// With the log's lock held; `name` is a number for a folded name.

/// One more of what `key` names: how many there were before.
uint64_t count_folded(uint64_t name, uint64_t key);

/// True if another thread has made that record.
bool is_known_folded(uint64_t name, uint64_t key);

/// The counter of the record that `key` names. `index` as of new_counter(), where the record is
/// new: it is to be written then.
Counter* folded_counter(uint64_t name, uint64_t key, Action action, int64_t& index, bool& is_new);

} // namespace detshim
