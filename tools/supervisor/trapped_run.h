// What `detshim run --trap-syscalls` does between its options and the program.
#pragma once

#include <string>
#include <vector>

namespace detshim {

/// Begins the run (its name, its seed, the log's folder) as the library would in the first process, starts
/// the supervisor, puts the filter on this process, and becomes the program. Returns only if that fails,
/// after one line on stderr, with the exit status. Throws UsageError for DETSHIM_ variables that pin nothing.
int run_trapped(const std::vector<std::string>& command);

} // namespace detshim
