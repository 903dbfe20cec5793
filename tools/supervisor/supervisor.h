// Answers the system calls that the filter stops.
#pragma once

#include "common/run_variable.h"
#include "support/descriptor.h"

#include <sys/stat.h>

namespace detshim {

/// Answers until no process with the filter is left. Whatever goes wrong with a call, the kernel executes it:
/// no process is left waiting. `first` is the variable of the run's first process, `run_stderr` what its
/// stderr is.
void supervise(OwnedDescriptor listener, const RunVariable& first, const struct stat& run_stderr);

} // namespace detshim
