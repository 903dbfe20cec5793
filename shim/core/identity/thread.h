// The thread that is drawing: its place in the tree of threads, and its streams.
//
// What else a thread keeps belongs to the part that keeps it, in thread-local storage of its own or
// in core/base/thread_memory.h.
#pragma once

#include "common/philox.h"
#include "common/stream_kinds.h"
#include "core/base/generations.h"
#include "core/identity/process.h"
#include "core/identity/thread_state.h"

#include <cstdint>

namespace detshim {

/// This thread, established for this process.
Thread& this_thread();

/// Key of the k-th stream of a kind in this thread.
uint64_t stream_key(const Thread& thread, Kind kind, uint64_t k = 0);

/// What a creator hands to the thread that it makes.
struct ThreadName {
  uint64_t label;
  PathText path;
};

/// Takes the next ordinal of the calling thread, for a thread about to be made.
ThreadName name_new_thread();
/// Called by the new thread before anything else of its own.
void enter_thread(const ThreadName& name);
/// Gives the thread's memory back. A later draw of the same thread (a destructor's) begins streams
/// of its own.
void leave_thread();

namespace detail {
void establish_thread(Thread& thread);
}

inline Thread& this_thread() {
  Thread& thread = detail::thread;
  // 0 is a thread's first call, and what a wiped page reads: a child that nobody announced.
  if (__builtin_expect(thread.generation == 0 || thread.generation != generation(), 0))
    detail::establish_thread(thread);
  return thread;
}

} // namespace detshim
