// Where memory is allocated: who called for it, named so that it is found again in another run.
#pragma once

#include "common/heap_search.h"

#include <cstddef>

namespace detshim {

/// Whether something is to be done to memory of `size` bytes for whoever called the allocator's function;
/// `caller` is the return address there. A site that is new in this process is added to the list in the file.
bool is_chosen(HeapSearch& search, const void* caller, size_t size);

} // namespace detshim
