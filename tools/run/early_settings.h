// What must be set before a program starts, because it is read before any constructor of the
// library runs.
#pragma once

#include <string>
#include <vector>

namespace detshim {

/// Sets, where the user has not: OMP_NUM_THREADS to the processors available (libgomp reads it as
/// it is loaded) unless `command` is a launcher that chooses them itself, OMP_DYNAMIC to FALSE; and
/// turns address-space layout randomisation off for this process and its children, unless
/// `keep_layout`. A kernel that refuses that (a container's filter) is no error: the log says which
/// layout a process had.
void apply_early_settings(bool keep_layout, const std::vector<std::string>& command);

} // namespace detshim
