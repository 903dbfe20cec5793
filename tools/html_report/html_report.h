// The report of `detshim report`: one page of HTML that needs no network and runs no script.
#pragma once

#include "log_reader/log.h"
#include "verdict/verdict.h"

#include <functional>
#include <memory>
#include <string>

namespace detshim {

/// Judges a log, by what there is besides it too.
using Judge = std::function<std::unique_ptr<const JudgedLog>(Log log)>;

/// The page about a log folder (or FOLDER/RUN), a folder of `detshim verify`, or a file with what
/// `detshim verify --json` printed. Throws UsageError for anything else.
std::string html_report(const std::string& name, const Judge& judge);

} // namespace detshim
