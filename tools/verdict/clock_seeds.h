// Lines of Python and of C++ that seed a generator from a clock or from the process's id.
//
// Python, NumPy and the engines of C++ keep what they make of a seed to themselves, so a run that takes it
// from a clock looks like one with a fixed seed. The reading is in the log, with its line or its place;
// whether the line seeds, its text says.
#pragma once

#include "log_reader/log.h"
#include "log_reader/summary.h"

#include <set>
#include <string>
#include <vector>

namespace detshim {

struct ClockSeed {
  std::string file; ///< "<string>" of `python -c`, "<stdin>"
  std::string line; ///< its number
  std::string text; ///< as it stands in the file: not safe to print; empty where nothing has it any more
};

/// Looks for them among the readings by the user's own code. Of a program that came from a pipe each reading
/// may be one, and of a file that is gone, or was changed since, the first. `changed`: files that are not
/// what ran.
std::vector<ClockSeed> find_clock_seeds(const Log& log, const Summary& summary,
                                        const std::set<std::string>& changed);

} // namespace detshim
