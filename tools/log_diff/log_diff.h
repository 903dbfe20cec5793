// Compares the logs of two runs: docs/LOG_DIFF.md.
#pragma once

#include "log_diff/difference.h"

#include <string>

namespace detshim {

/// `a` and `b` are log folders, or FOLDER/RUN. Throws UsageError where one of them cannot be compared:
/// nothing there, torn, damaged, of another version.
LogDifference compare_logs(const std::string& a, const std::string& b);

} // namespace detshim
