// The allocator behind the wrappers.
#pragma once

#include "common/heap_search.h"

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
  ForeignAllocator foreign; ///< none: all of them are libc's, and nothing stands in front of ours
};

/// Looked for at the first call.
const Allocator& allocator();

} // namespace detshim
