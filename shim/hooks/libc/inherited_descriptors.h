// Programs that the library will not be in, and that inherit a random device which was replaced.
//
// They read its file without a hook, and would meet an end that the device does not have. So
// they get the device itself, which is recorded: a program that works goes before one that is
// pinned.
#pragma once

#include "hooks/libc/uncovered_execs.h"

namespace detshim {

/// Gives this process the kernel's devices itself: a filter that it is about to put on forbids what
/// the hooks read streams with.
void give_kernels_for_good();

/// Before a program is executed. A process that makes a child by the same call, with a descriptor
/// that is not closed, reads the kernel's from here on. Legal in a vfork child.
void prepare_descriptors_for(bool is_reached);

} // namespace detshim
