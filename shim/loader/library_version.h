// Which CUDA library answers, in which version: said once a process, before the first record of one
// of its hooks.
#pragma once

#include "common/text.h"
#include "core/base/hook_table.h"

namespace detshim {

/// Writes the `library` record of a hook's library, if it is one of CUDA's and has none in this
/// process. The records that follow are written even if they are of Action::observe alone, because
/// this one begins the log.
void say_library(const Hook& hook);

/// Appends the library's version: "10400", or in parts "13.1.0". Nothing where the library cannot
/// be asked.
void add_version(const Hook& hook, TextWriter& text);

} // namespace detshim
