// What was chosen by time in a run: kernels and algorithms that the fastest of several candidates was taken
// of.
#pragma once

#include "log_reader/summary.h"

#include <vector>

namespace detshim {

/// The functions of the log by which something was chosen, or may have been chosen, by how long it took. That
/// is said by records of `nondeterministic` of a library that is tuned (docs/LOG_FORMAT.md).
std::vector<const SymbolSummary*> timed_choices(const Summary& summary);

} // namespace detshim
