// Lines of Python that read a clock and only show it.
#pragma once

#include "log_reader/log.h"

#include <set>
#include <string>
#include <vector>

namespace detshim {

/// Of those lines, "/home/me/train.py:12", those whose readings are durations and dates that are
/// printed, logged or handed to a writer of metrics. None where that cannot be told: without
/// python3, or of a file that was written to after the run began.
std::set<std::string> find_shown_times(const Log& log, const std::set<std::string>& lines);

/// How the lines look that show them: regular expressions, each with a group around one time. Of
/// those files of the user's whose lines read clocks.
std::vector<std::string> find_shown_formats(const Log& log);

} // namespace detshim
