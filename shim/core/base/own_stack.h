// Stacks of our own. What the library does aside from a program's calls (it begins a log, names a
// child, writes a record) has clocks, process ids and names of runs in its frames. On the program's
// stack they would stay behind in dead frames, where a variable that the program never sets takes
// its value from: it would repeat without the library, and differ with it.
//
// Hot paths stay on the program's stack: what they leave there is the same in each run.
#pragma once

#include "common/sys.h"

// A sanitizer's shadow follows one stack a thread.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DETSHIM_ONE_STACK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define DETSHIM_ONE_STACK 1
#endif
#endif

namespace detshim {
namespace detail {

/// Calls function(argument) on one of our stacks; on the caller's if it is one of our own already,
/// or if there is no other.
void call_on_own_stack(void (*function)(void*), void* argument);

} // namespace detail

/// Wipes what the kernel said of a file, which stood on the program's stack: a file in memory has
/// another number and other times in each run.
template <typename Status>
void forget(Status& status) {
  __builtin_memset(&status, 0, sizeof status);
  __asm__ volatile("" : : "r"(&status) : "memory"); // it is not written in vain
}

/// Calls body() on a stack of our own. Signal handlers are kept away: one needs more stack than
/// there is, and may leave by longjmp. `body` must not fork, and must not look for the frames of
/// the program.
template <typename Body>
void on_own_stack(Body body) {
  detail::call_on_own_stack(
      [](void* what) {
        (*static_cast<Body*>(what))();
      },
      &body);
}

} // namespace detshim
