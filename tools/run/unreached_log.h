// The log of a run whose program the library cannot come up in (a static program, Go's).
#pragma once

#include "common/reasons.h"

#include <string>
#include <vector>

namespace detshim {

/// Leaves a log that says that nothing was seen of it, and what it began in: without one, `detshim
/// log` would show an earlier run. Whatever fails, the run is as without it. What it starts has
/// logs of its own.
void leave_unreached_log(const std::vector<std::string>& command, Reason why);

} // namespace detshim
