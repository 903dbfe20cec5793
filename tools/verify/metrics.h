// A series of numbers out of what a program printed.
#pragma once

#include "verify/pattern.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

struct MetricValue {
  double number = 0;
  std::string text; ///< as it was printed: a whole number may have more digits than a double
  std::uint64_t line = 0;
};

/// What a pattern's first group matched, in order. Throws UsageError at a group that is no number.
std::vector<MetricValue> read_series(std::string_view text, const Pattern& pattern);

/// |a - b| <= absolute + relative * |b|, as numpy.isclose. Both 0: bit by bit, and digit by digit.
struct Tolerance {
  double relative = 0, absolute = 0;
  bool is_exact() const { return relative == 0 && absolute == 0; }
};

struct MetricDifference {
  std::uint64_t step = 0; ///< from 1
  std::string value, other_value;
  std::uint64_t line = 0, other_line = 0; ///< 0: not there
  std::uint64_t count = 0, of = 0;
  double max_absolute = 0, max_relative = 0; ///< over the steps that both have, and finite numbers
};

std::optional<MetricDifference> compare_series(const std::vector<MetricValue>& one,
                                               const std::vector<MetricValue>& other,
                                               const Tolerance& tolerance);

} // namespace detshim
