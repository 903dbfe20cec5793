#include "verify/metrics.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"
#include "verify/contents/elements.h"
#include "verify/contents/text_cells.h"
#include "verify/lines.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace detshim {
namespace {

std::string text_of(double number) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

} // namespace

std::vector<MetricValue> read_series(std::string_view text, const Pattern& pattern) {
  std::vector<MetricValue> series;
  each_line(text, [&](std::string_view line, std::uint64_t number) {
    pattern.each_match(line, [&](Span, Span group) {
      const std::optional<double> value = number_of(group.of(line));
      if (!value)
        throw UsageError("--metric '" + printable(pattern.text()) + "' took '" + printable(group.of(line)) +
                         "' in line " + std::to_string(number) + ", which is no number");
      series.push_back({*value, number});
    });
  });
  return series;
}

bool are_equal(double a, double b, const Tolerance& tolerance) {
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return true;
  if (tolerance.is_exact()) return false;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::isnan(a) && std::isnan(b);
  return std::fabs(a - b) <= tolerance.absolute + tolerance.relative * std::fabs(b);
}

std::optional<MetricDifference> compare_series(const std::vector<MetricValue>& one,
                                               const std::vector<MetricValue>& other,
                                               const Tolerance& tolerance) {
  MetricDifference result;
  result.of = std::max(one.size(), other.size());
  for (std::size_t i = 0; i < result.of; ++i) {
    const MetricValue* const a = i < one.size() ? &one[i] : nullptr;
    const MetricValue* const b = i < other.size() ? &other[i] : nullptr;
    if (a != nullptr && b != nullptr) {
      if (are_equal(a->number, b->number, tolerance)) continue;
      if (std::isfinite(a->number) && std::isfinite(b->number)) {
        result.max_absolute = std::max(result.max_absolute, std::fabs(a->number - b->number));
        result.max_relative = std::max(result.max_relative, relative_difference(a->number, b->number));
      }
    }
    if (result.count++ > 0) continue;
    result.step = i + 1;
    result.value = a != nullptr ? text_of(a->number) : "not there";
    result.other_value = b != nullptr ? text_of(b->number) : "not there";
    result.line = a != nullptr ? a->line : 0;
    result.other_line = b != nullptr ? b->line : 0;
  }
  return result.count > 0 ? std::optional(result) : std::nullopt;
}

} // namespace detshim
