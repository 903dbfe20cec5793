// What two runs may differ in, in what they print and in texts that they write.
#pragma once

#include "artifact_formats/compare.h"
#include "verify/lines.h"
#include "verify/metrics.h"
#include "verify/run_once.h"

#include <string>
#include <vector>

namespace detshim {

/// What is looked at in a pair of runs.
struct ComparisonRules {
  std::vector<std::string> outputs; ///< globs
  std::vector<Pattern> metrics;
  Tolerance tolerance;
  std::vector<Pattern> declared_volatile;
  bool ignores_out = false, ignores_err = false;
  std::vector<std::string> ignored_files; ///< globs; of those that no output names

  bool ignores(PrintedStream stream) const {
    return stream == PrintedStream::out ? ignores_out : ignores_err;
  }
};

/// What tells times and processes of the run.
RunFacts facts_of(const Run& run);

/// What may differ in what the run printed or wrote.
VolatileText volatile_text_of(const Run& run, const ComparisonRules& rules);

/// Those that are compared with a tolerance, and not as text.
const std::vector<Pattern>& tolerated_metrics(const ComparisonRules& rules);

/// Of lines that differ: the first pair, and how many.
ContentDifference content_difference(const LineComparison& lines);

} // namespace detshim
