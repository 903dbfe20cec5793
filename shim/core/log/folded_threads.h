// Threads of which a program makes ever more: the records of those behind the first are one thread's, or the
// log and the counters would grow with each.
//
// Which threads have a name of their own follows from their names alone, so it is the same in every run. Each
// of the others still has counters that it alone adds to: its share of a record. A thread that ends leaves
// them to the next, so there are as many as threads that recorded were alive at once.
#pragma once

#include "common/run_variable.h"
#include "core/log/counts.h"

#include <cstdint>

namespace detshim {

/// So many threads of one maker are told apart in the log, and so many that a timer makes.
inline constexpr uint64_t threads_told_apart = 1024;

/// The name under which the thread's records go: its own, or 0.* for 0.1025. False if it is its own.
bool fold_name(const PathText& path, PathText& name);

/// One thread's part of a record.
struct Share {
  Counter* counter;
  uint64_t key;
  Share* next;
};

// With the log's lock held; `name` is a number for a folded name.

/// One more of what `key` names: how many there were before.
uint64_t count_folded(uint64_t name, uint64_t key);

/// True if another thread has made that record.
bool is_known_folded(uint64_t name, uint64_t key);

/// A counter for the calling thread's part of the record that `key` names. `index` as of new_counter(), where
/// the record is new: it is to be written then; else -1. The share goes to the head of `shares`.
Counter* share_counter(uint64_t name, uint64_t key, Action action, int64_t& index, bool& is_new,
                       Share*& shares);

/// The thread ends: others may go on with its shares.
void leave_shares(Share* shares);

} // namespace detshim
