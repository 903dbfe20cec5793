// Lines of Python that read a clock and only show it.
#pragma once

#include "log_reader/log.h"

#include <set>
#include <string>
#include <vector>

namespace detshim {

/// Lines, "/home/me/train.py:12", by what becomes of the times that they take.
struct TimeLines {
  std::set<std::string> shown; ///< of those that were asked: printed, logged, handed to a writer
  std::set<std::string> kept;  ///< of scripts, whichever: what a library has measured, and used
};

/// What becomes of the times of `lines`, whose readings are durations and dates. Nothing where that
/// cannot be told: without python3, or of a file that was written to after the run began.
TimeLines find_time_lines(const Log& log, const std::set<std::string>& lines);

/// How the lines look that show them: regular expressions, each with a group around one time. Of
/// those files of the user's whose lines read clocks.
std::vector<std::string> find_shown_formats(const Log& log);

} // namespace detshim
