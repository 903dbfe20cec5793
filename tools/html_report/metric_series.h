// The metrics of a verification's runs, read again from what the runs printed.
#pragma once

#include "html_report/verify_document.h"
#include "verify/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace detshim {

struct MetricSeries {
  enum Kind { plain, control, killed, resumed };
  std::string run;
  std::vector<double> values; ///< by step
  std::size_t begin = 0;      ///< the step of its first value: of a resumed run, where the whole one has it
  Kind kind = plain;
};

/// One pattern on one stream.
struct MetricCurves {
  std::string pattern, stream;
  std::vector<MetricSeries> series; ///< the first run, those that differ from it, others; then what is marked
  std::size_t runs_left_out = 0;
  std::string differing_run;             ///< the first to differ from the first run; empty: none does
  std::optional<MetricDifference> first; ///< of that run
};

struct Metrics {
  std::vector<MetricCurves> curves;
  std::vector<std::string> problems; ///< why something could not be read; not safe to print
};

Metrics read_metrics(const VerifyDocument& document);

} // namespace detshim
