// What a report is about: the runs of one `detshim verify`, or one log.
#pragma once

#include "html_report/log_evidence.h"
#include "html_report/metric_series.h"
#include "html_report/verify_document.h"
#include "log_diff/difference.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

struct ReportSource {
  std::optional<VerifyDocument> verification; ///< nothing: a log alone
  std::unique_ptr<LogEvidence> evidence;      ///< of the log, or of the first run; null where that has none
  Metrics metrics;

  /// The logs of the first run and of the first that differs from it.
  std::optional<LogDifference> difference;
  std::string one, other;         ///< names of those runs
  std::string difference_problem; ///< why their logs could not be compared; not safe to print
};

/// `name` is a log folder (or FOLDER/RUN), a folder of `detshim verify`, or a file with what `detshim verify
/// --json` printed. Throws UsageError where it is none of these.
ReportSource read_report_source(const std::string& name, const std::vector<std::string>& accepted);

} // namespace detshim
