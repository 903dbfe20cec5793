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

/// `accepted`: names of reasons that the user answers for.
Verdict make_verdict(const Log& log, const Summary& summary, const LoadedCode& code,
                     const std::vector<std::string>& accepted);

} // namespace detshim
