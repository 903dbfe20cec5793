// The report of `detshim report`: one page of HTML that needs no network and runs no script.
#pragma once

#include "log_reader/log.h"
#include "verdict/finding.h"

#include <functional>
#include <string>
#include <vector>

namespace detshim {

/// What the evidence of earlier runs says of a log, applied to its verdict.
using Weigh = std::function<void(const Log& log, Verdict& verdict)>;

/// The page about a log folder (or FOLDER/RUN), a folder of `detshim verify`, or a file with what `detshim
/// verify --json` printed. `accepted`: reasons that the user answers for. Throws UsageError where it is none
/// of these.
std::string html_report(const std::string& name, const std::vector<std::string>& accepted,
                        const Weigh& weigh);

} // namespace detshim
