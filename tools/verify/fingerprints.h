// What DETSHIM_FINGERPRINT has in the logs of two runs that are compared: contents that a GPU gave and
// nothing printed.
#pragma once

#include "verify/comparison.h"

#include <string>

namespace detshim {

/// True where the runs were to be fingerprinted, as the environment has it.
bool are_fingerprinted();

/// Adds the first output of a copy or a library call that differs, with how many do. What the program prints,
/// writes and sends itself is not looked at: it is compared where it arrives, and often holds a time.
void compare_fingerprints(const std::string& log, const std::string& other_log, Comparison& result);

} // namespace detshim
