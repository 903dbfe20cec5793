// Times that options take.
#pragma once

#include <string>

namespace detshim {

/// Seconds of "90", "90s", "10m" or "2h". Throws UsageError, which names the option.
double seconds_of(const char* option, const std::string& text);

} // namespace detshim
