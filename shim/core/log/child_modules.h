// What a child of this process has loaded, where it cannot say so itself.
#pragma once

#include <sys/types.h>

namespace detshim {

/// Writes down the files that a child has loaded and this process has not: it is about to be ended
/// by a signal, as a pool ends its workers. Nothing of a process that is no child of this one, or
/// that the library is not in.
void record_modules_of_child(pid_t pid);

} // namespace detshim
