// The environment that a run begins in, handed over to the library, which writes it beside its log.
#pragma once

#include "environment/environment.h"

namespace detshim {

/// Leaves what a run begins in (capture_start) for the library there. Whatever fails, the run is as without
/// it.
void hand_over_environment(const Environment& start);

} // namespace detshim
