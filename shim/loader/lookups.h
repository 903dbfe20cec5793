// For libraries that have a lookup of their own besides dlsym.
#pragma once

#include "core/base/hook_table.h"

namespace detshim {

/// What is handed out to a program that asked `library` for `name` by the library's own lookup,
/// which found `function`: the wrapper of the hook that stands in front of it, or the function
/// itself. Such a lookup chooses among a name's variants (cuMemAlloc is cuMemAlloc_v2 today): the
/// hook is chosen by the function that was found, so that its wrapper calls that one and no other.
/// `unseen` tells that the name is one of a hook's, but the function is not.
const void* answer_entry_point(const Hook& by, const char* library, const char* name,
                               const void* function, const void* caller, bool& unseen);

} // namespace detshim
