// What a log amounts to: the line with which `detshim log` closes.
#pragma once

#include "log_reader/log.h"
#include "log_reader/summary.h"
#include "verdict/finding.h"
#include "verdict/loaded_code.h"

#include <string>
#include <vector>

namespace detshim {

/// True if `name` can name a reason: a kind of docs/VERDICT.md, alone or with a colon and what it is about.
bool is_acceptance(const std::string& name);

/// A log, summed up and judged. Stays where it is: its parts know each other.
struct JudgedLog {
  /// `accepted`: names of reasons that the user answers for.
  JudgedLog(Log read, Decode decode, const std::vector<std::string>& accepted);
  JudgedLog& operator=(JudgedLog&&) = delete; // neither copied nor moved

  Log log;
  Summary summary;
  LoadedCode code;
  Verdict verdict;
};

} // namespace detshim
