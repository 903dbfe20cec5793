// Threads that installed Python packages start for a line of the user's.
//
// Whether what they compute depends on their order, only the package's authors know. Those that are
// known to give one answer, or to compute nothing, stand in two lists; any other is a reason at the
// user's line, like threads of the user's own.
#pragma once

#include "core/python/frames.h"

namespace detshim {

/// To be called where machine code at `caller` starts a thread, or a region of several (OpenMP).
/// Keeps the user's line, if an installed package does it that is in no list.
void note_package_thread(const void* caller);

/// True if a package's own Python, among the innermost frames, has a pool of threads that gives one
/// answer.
bool is_pool_of_one_answer();

} // namespace detshim
