// A series of numbers out of what a program printed.
#pragma once

#include "artifact_formats/elements.h"
#include "verify/pattern.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

struct MetricValue {
  long double number = 0;
  std::string text; ///< as it was printed: it may have more digits than the number
  std::uint64_t line = 0;
};

/// What a pattern's first group matched, in order. Throws UsageError at a group that is no number.
std::vector<MetricValue> read_series(std::string_view text, const Pattern& pattern);

/// |a - b| <= absolute + relative * |b|, as numpy.isclose. Both 0: digit by digit.
struct Tolerance {
  double relative = 0, absolute = 0;
  bool is_exact() const { return relative == 0 && absolute == 0; }
};

/// Counted in steps.
struct MetricDifference : ContentDifference {
  std::uint64_t step = 0; ///< from 1
  std::uint64_t line = 0; ///< of the first series; 0: not there
};

std::optional<MetricDifference> compare_series(const std::vector<MetricValue>& one,
                                               const std::vector<MetricValue>& other,
                                               const Tolerance& tolerance);

} // namespace detshim
