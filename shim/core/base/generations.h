// Two numbers by which what was remembered is known to hold no longer.
#pragma once

#include <cstdint>

namespace detshim {
namespace detail {
struct alignas(4096) GenerationPage { // alone in its page: the kernel wipes whole pages
  uint32_t generation;
  uint32_t draw_epoch;
  uint32_t touched; ///< read by nobody
  uint32_t
      stacks; ///< those of own_stack.cpp that a thread is on, a bit each: a child has none of them
};
extern GenerationPage generation_page;
} // namespace detail

/// A number that changes when this process is a new one; 0 before anybody has begun one. It lives
/// in a page that the kernel wipes in every child, so a child made by clone(2), _Fork or a raw
/// system call is noticed too. One load.
inline uint32_t generation() {
  return __atomic_load_n(&detail::generation_page.generation, __ATOMIC_RELAXED);
}

/// A number that changes whenever what was decided for a call site may hold no longer: in a child,
/// and when an object was unloaded, whose addresses another one may get.
inline uint32_t draw_epoch() {
  return __atomic_load_n(&detail::generation_page.draw_epoch, __ATOMIC_RELAXED);
}
/// Begins a new epoch.
void forget_call_sites();

// For the floor that knows what a process is (core/identity/process.cpp):

/// Begins a generation, and an epoch with it: every thread's state is made again.
void begin_generation();
/// How many were begun, in the processes before this one too.
uint32_t generations_begun();
/// Has the kernel wipe the page in every child.
void wipe_generation_in_children();
/// At a start, and in a child that was announced: a page that is written before it is read costs
/// one fault and not two.
void touch_generation();

} // namespace detshim
