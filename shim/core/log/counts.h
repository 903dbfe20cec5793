// How often each record happened: counters in memory, written to a file beside the log so often
// that SIGKILL loses next to nothing, and so seldom that a draw makes no system call. Layout:
// docs/LOG_FORMAT.md, "The counts file".
//
// The file is written to and never mapped: a mapped file that somebody cuts short, or whose disk
// fails, kills the program with SIGBUS, and a handler for that signal would be in the program's way
// (and of no use in a thread that blocks it).
#pragma once

#include "common/describe.h"

#include <cstdint>

namespace detshim {

/// One counter. One thread alone counts there, by count(); many where it is shared.
struct Counter {
  uint64_t number;
  uint64_t write_at; ///< the number at which the file is told next; 0 where it is shared
  uint64_t entry;    ///< in the file, from 1; 0 where it has no entry
  uint32_t action;
  uint8_t is_shared;
  uint8_t is_final; ///< of a shared one: the file has been told that this number is the last
};

namespace detail {
/// What a thread has in reserve of the counters.
struct CounterBlock {
  Counter* counters;
  uint32_t left;
  uint32_t generation; ///< of the process that it was made for
};
extern thread_local constinit CounterBlock counter_block;
} // namespace detail

/// Counts one call and tells the file, where it is due.
void count_slowly(Counter& counter);

/// Counts one call. The file has every number up to 32, and from there on at least 32 of 33.
inline void count(Counter& counter) {
  if (__builtin_expect(__atomic_load_n(&counter.number, __ATOMIC_RELAXED) + 1 >= counter.write_at,
                       0))
    count_slowly(counter);
  else
    ++counter.number;
}

/// What was counted there, and will be, is of that action from now on, whatever its record says.
/// Not where there is no file: such counters are shared.
void recount_as(Counter& counter, Action action);

/// A counter for a record of the calling thread, and its index in the counts file; index -1 where
/// the file could not be made and the counter lives in memory alone. Never nullptr.
Counter* new_counter(Action action, int64_t& index);

/// Several threads may count there from now on.
inline void share(Counter& counter) {
  counter.is_shared = 1;
  counter.write_at = 0;
}

/// Where the counters of a process that begins go: an open file, empty or an earlier program's of
/// this process; none for -1. Once in each process, because counters that were handed out stay in
/// use. The descriptor is taken over; the path, by which the file is opened again where the program
/// closes it, must stay where it is.
void use_counts_file(int fd, const char* path);

/// True if this run has begun that counts file and a further program of its process may go on in
/// it: no other process counts there.
bool can_go_on_in_counts_file(int fd);

struct SharedPage;

/// Says in `page` what this process's counts file is, so that those that it forks may count in it;
/// false if it has none.
bool share_counts_file(SharedPage& page);

/// The open counts file that the shared page names is this process's from now on, or that of those
/// that it forks.
void take_shared_counts_file(int fd, const char* path);

/// Begins this process's counters, in the shared counts file that it has inherited or taken. The
/// number of the entry that represents the process, by which its records name it; 0 if there is no
/// such file.
uint64_t join_counts_file();

/// Writes all numbers as they stand: the process ends, or turns into another program.
void write_counts();

/// Adds up the counters of this process by action.
void sum_own_counts(uint64_t (&sums)[action_count]);

/// Adds up the counters in a counts file of this run by action, and the processes that counted
/// something in it; false if it is no such file.
bool sum_file_counts(int fd, uint64_t (&sums)[action_count], unsigned* processes = nullptr);

} // namespace detshim
