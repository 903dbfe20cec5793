// What a thread keeps behind a pointer, because thread-local storage is
// scarce. Where a library is loaded late (every preload is, with LD_AUDIT), it comes out of some 2
// KiB for all libraries.
//
//   DETSHIM_THREAD_MEMORY Sources sources_of_thread;
//   Sources& sources = of_this_thread(sources_of_thread);
//
// The variable itself only gives the place; each thread has a copy, all zero at first, in a page
// that it maps at its first use. It needs no destructor: the page is given back when the thread
// ends.
#pragma once

#include <cstddef>
#include <cstdint>

/// Declares what each thread has a copy of. Of a type that begins as all zero.
#define DETSHIM_THREAD_MEMORY [[gnu::section("detshim_thread"), gnu::used]] constinit

namespace detshim {
namespace detail {
struct ThreadMemory {
  ptrdiff_t distance;  ///< of this thread's copies from the variables; 0: none were made
  uint32_t given_back; ///< how often
};
extern thread_local constinit ThreadMemory thread_memory;
/// Has give_back_thread_memory() called at the calling thread's end; set as the library is loaded.
using AtThreadEnd = void();
extern constinit AtThreadEnd* call_at_thread_end;
/// Maps the thread's memory and gives the distance of its copies from the variables; 0, and with it
/// the variables themselves, where no memory can be had.
ptrdiff_t make_thread_memory();
} // namespace detail

/// The calling thread's copy. One load and one comparison.
template <typename T>
T& of_this_thread(T& variable) {
  const ptrdiff_t known = detail::thread_memory.distance;
  const ptrdiff_t distance = __builtin_expect(known != 0, 1) ? known : detail::make_thread_memory();
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(&variable) + distance);
}

/// Gives the calling thread's memory back, with signals blocked: how often that was done, 0 where
/// it has none.
uint32_t give_back_thread_memory();

} // namespace detshim
