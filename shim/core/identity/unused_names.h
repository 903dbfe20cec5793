// Names that were given to a child which then drew nothing: the next child gets them.
//
// A script that runs `x=$(date)` first, a shim that asks for a version, a launcher that looks for
// an interpreter: their helpers draw nothing and end. If each took a name, the training program
// behind them would have another one, and other numbers, wherever it was started another way.
#pragma once

#include "common/run_variable.h"

#include <cstdint>

namespace detshim {

/// True if a process of this run that bears the name, or one made of it, has drawn something: the
/// log counts that. Not the wrappers that handed the name on before, which are those with a lower
/// number of handoffs. Also true in doubt: where a forked child may
/// have written in a file of its parent's, and where no log can be written.
bool is_name_used(const PathText& path, uint64_t handoffs);

} // namespace detshim
