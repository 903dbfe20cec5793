// Compares the logs of two runs: docs/LOG_DIFF.md.
#pragma once

#include "log_diff/difference.h"

#include <functional>
#include <set>
#include <string>

namespace detshim {

/// What the files of a run held, of which the log has no build.
using FileFacts = std::function<Facts(const std::string& folder, const std::string& run)>;

/// `a` and `b` are log folders, or FOLDER/RUN. `turned`: settings that were made to differ between
/// the two, as a log's facts are named (facts.h). Throws UsageError where one of them cannot be
/// compared: nothing there, torn, damaged, of another version.
LogDifference compare_logs(const std::string& a, const std::string& b,
                           std::set<std::string> turned = {}, const FileFacts& files_of = {});

/// Where no call is named as the first cause: what the runs' results may differ by though their
/// records agree.
void add_suspects(LogDifference& difference);

} // namespace detshim
