// Variables that the library would set and must not: no version in which the value is known good is
// installed.
#pragma once

#include "environment/environment.h"

#include <string>

namespace detshim {

/// Names them in DETSHIM_LEAVE, unless the user has set that, by the distributions at the `start`
/// of a run. Before a program has loaded their readers nothing else tells, and then Python has
/// copied its environment.
void leave_settings(const Environment& start, const std::string& library);

} // namespace detshim
