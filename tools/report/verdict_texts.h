// The sentences of a verdict's reasons, and what to do about each.
#pragma once

#include "verdict/finding.h"

#include <string>

namespace detshim {

/// Why, in a sentence. Values are as they stand in the log: not safe to print.
std::string reason_text(const VerdictReason& reason);

/// What to do about it; empty if there is nothing.
std::string reason_remedy(const VerdictReason& reason);

} // namespace detshim
