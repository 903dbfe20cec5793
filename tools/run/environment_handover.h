// The environment that a run begins in, handed over to the library, which writes it beside its log.
#pragma once

#include <string>
#include <vector>

namespace detshim {

/// Captures what `command` begins in and leaves it for the library there. Whatever fails, the run is as
/// without it.
void hand_over_environment(const std::vector<std::string>& command);

} // namespace detshim
