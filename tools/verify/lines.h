// Compares what two runs printed, line by line.
#pragma once

#include "verify/volatile_text.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// Two lines that stand at the same place.
struct LinePair {
  std::uint64_t line = 0; ///< from 1
  std::string value, other_value;
};

struct LineComparison {
  std::uint64_t lines = 0;        ///< the longer of the two
  std::uint64_t with_content = 0; ///< lines that are equal, and hold more than what is volatile
  std::uint64_t different = 0;
  LinePair first_different;
  std::uint64_t volatile_lines = 0; ///< equal but for times, processes and what the user declared
  LinePair first_volatile;
  std::uint64_t overwritten = 0; ///< states of lines, by carriage returns: not compared
  std::uint64_t tolerated = 0;   ///< equal but for metrics, which are compared with a tolerance
};

/// What may differ in a line.
struct LineRules {
  const VolatileText& volatile_text;
  const std::vector<Pattern>& tolerated_metrics; ///< empty: metrics are compared as text too
  std::set<std::uint64_t>* different = nullptr;  ///< where not null: the numbers of lines that differ
};

/// What ends a line has to be the same too, but in a volatile one. Of a line that a progress bar overwrites,
/// the last state counts: when it does is a matter of time.
LineComparison compare_lines(std::string_view one, const RunFacts& run, std::string_view other,
                             const RunFacts& other_run, const LineRules& rules);

/// Calls visit(line, its number from 1) for each. A carriage return ends a line too, as progress bars use it.
void each_line(std::string_view text, const std::function<void(std::string_view, std::uint64_t)>& visit);

} // namespace detshim
