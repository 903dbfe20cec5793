// What a thread keeps besides core/identity/identity.h's Thread: behind a pointer, because thread-local storage is
// scarce. Where a library is loaded late (every preload is, with LD_AUDIT), it comes out of some 2 KiB for
// all libraries.
//
//   DETSHIM_THREAD_MEMORY Sources sources_of_thread;
//   Sources& sources = of_this_thread(sources_of_thread);
//
// The variable itself only gives the place; each thread has a copy, all zero at first, in a page that it maps
// at its first use. It needs no destructor: the page is given back when the thread ends.
#pragma once

#include "core/identity/identity.h"

/// Declares what each thread has a copy of. Of a type that begins as all zero.
#define DETSHIM_THREAD_MEMORY [[gnu::section("detshim_thread"), gnu::used]] constinit

namespace detshim {
namespace detail {
/// Maps the thread's memory and gives the distance of its copies from the variables; 0, and with it the
/// variables themselves, where no memory can be had.
ptrdiff_t make_thread_memory(Thread& thread);
} // namespace detail

/// The calling thread's copy. One load and one comparison.
template <typename T>
T& of_this_thread(T& variable) {
  Thread& thread = detail::thread;
  const ptrdiff_t distance =
      __builtin_expect(thread.memory != 0, 1) ? thread.memory : detail::make_thread_memory(thread);
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(&variable) + distance);
}

} // namespace detshim
