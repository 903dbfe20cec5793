// What a thread holds of who it is. What is done with it: thread.h.
#pragma once

#include "common/run_variable.h"

#include <cstdint>

namespace detshim {

/// What a thread that is about to fork has decided for the child.
enum class PendingFork : uint8_t {
  none,
  child,   ///< the child with the thread's last ordinal
  handoff, ///< the child that takes over this process's name
};

/// One thread's own state. Lives in initial-exec TLS, starts all zero (so that a new thread copies
/// no template) and needs no destructor.
struct Thread {
  uint32_t generation = 0; ///< of the process that the rest was made for
  int pid = 0;             ///< of that process
  bool is_first = false;   ///< main thread of the first process
  PendingFork fork = PendingFork::none;
  bool forks_beside =
      false; ///< a child made before is still there, or a thread may have waited for it
  bool made_thread = false;   ///< the user's code or Python did, since it made a child
  uint32_t children = 0;      ///< threads made so far
  uint32_t forks = 0;         ///< processes made so far
  uint64_t label = 0;         ///< place in the tree of threads, 0 for the main thread
  uint64_t key = 0;           ///< names the thread's streams
  uint64_t sharing_child = 0; ///< the last vfork child that executed a program
  PathText path = {};
};

namespace detail {
extern thread_local constinit Thread thread;
}

} // namespace detshim
