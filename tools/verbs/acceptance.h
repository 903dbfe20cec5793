// The reasons that the user answers for.
#pragma once

#include <string>
#include <vector>

namespace detshim {

/// Those named by --accept, and those in the project's file. Throws UsageError for a name that no
/// reason has.
std::vector<std::string> accepted_reasons(const std::vector<std::string>& by_option);

} // namespace detshim
