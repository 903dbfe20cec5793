// The allocator behind the wrappers.
#pragma once

#include <cstddef>

namespace detshim {

/// The next definitions behind ours, in load order.
struct Allocator {
  void* (*allocate)(size_t);
  void* (*allocate_zeros)(size_t, size_t);
  void* (*resize)(void*, size_t);
  void* (*allocate_aligned)(size_t alignment, size_t);
  void (*release)(void*);
  size_t (*usable_size)(void*);
  bool is_libc; ///< all of them are libc's
};

/// Looked for at the first call.
const Allocator& allocator();

} // namespace detshim
