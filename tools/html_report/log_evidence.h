// What one log holds and amounts to, as a report needs it.
#pragma once

#include "log_reader/log.h"
#include "log_reader/source_lines.h"
#include "log_reader/summary.h"
#include "verdict/loaded_code.h"
#include "verdict/verdict.h"

#include <string>
#include <vector>

namespace detshim {

/// Stays where it is: its parts know each other.
struct LogEvidence {
  /// `name` is a log folder, or FOLDER/RUN. `accepted`: reasons that the user answers for.
  LogEvidence(const std::string& name, const std::vector<std::string>& accepted);
  LogEvidence(const LogEvidence&) = delete;
  LogEvidence& operator=(const LogEvidence&) = delete;

  bool is_there() const; ///< it holds a record

  Log log;
  Summary summary;
  LoadedCode code;
  Verdict verdict;
  SourceLines source_lines;
};

} // namespace detshim
