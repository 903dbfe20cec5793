#include "verify/metrics.h"

#include "support/exit_status.h"
#include "support/wording.h"
#include "verify/lines.h"

#include <algorithm>
#include <cctype>
#include <cfloat>
#include <cmath>

namespace detshim {
namespace {

bool are_equal(const MetricValue& a, const MetricValue& b, const Tolerance& tolerance) {
  if (tolerance.is_exact() || a.text == b.text) return a.text == b.text;
  if (!std::isfinite(a.number) || !std::isfinite(b.number))
    return a.number == b.number || (std::isnan(a.number) && std::isnan(b.number));
  // What a longer text loses in reading may be all that differs.
  long double difference = std::fabs(a.number - b.number);
  if (std::max(a.text.size(), b.text.size()) > LDBL_DIG)
    difference += LDBL_EPSILON * std::max(std::fabs(a.number), std::fabs(b.number));
  return difference <= tolerance.absolute + tolerance.relative * std::fabs(b.number);
}

/// True if a number goes on where the group ends, or has begun before it: what is compared would be a part.
bool is_part_of_number(std::string_view line, Span group) {
  const auto is_digit = [&](std::size_t at) {
    return at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0;
  };
  const auto is_one_of = [&](std::size_t at, std::string_view which) {
    return at < line.size() && which.find(line[at]) != std::string_view::npos;
  };
  const std::size_t begin = group.begin, end = group.end;
  if (begin == end) return false;
  if (is_digit(begin) && begin > 0 &&
      (is_digit(begin - 1) || (begin > 1 && line[begin - 1] == '.' && is_digit(begin - 2))))
    return true;
  if (!is_digit(end - 1) && line[end - 1] != '.') return false;
  if (is_digit(end) || (is_one_of(end, ".") && is_digit(end + 1))) return true;
  return is_one_of(end, "eE") && is_digit(is_one_of(end + 1, "+-") ? end + 2 : end + 1);
}

} // namespace

std::vector<MetricValue> read_series(std::string_view text, const Pattern& pattern) {
  std::vector<MetricValue> series;
  each_line(text, [&](std::string_view line, std::uint64_t number) {
    pattern.each_match(line, [&](Span, Span group) {
      const std::optional<long double> value = number_of(group.of(line));
      const std::string took = "--metric " + in_quotes(pattern.text()) + " took " +
                               in_quotes(group.of(line)) + " in line " + std::to_string(number) +
                               ", which is ";
      if (!value) throw UsageError(took + "no number");
      if (is_part_of_number(line, group))
        throw UsageError(took + "part of a number: '(\\S+)' takes all of it");
      series.push_back({*value, std::string(group.of(line)), number});
    });
  });
  return series;
}

std::optional<MetricDifference> compare_series(const std::vector<MetricValue>& one,
                                               const std::vector<MetricValue>& other,
                                               const Tolerance& tolerance) {
  MetricDifference result;
  result.unit = "step";
  result.has_numbers = true;
  result.of = std::max(one.size(), other.size());
  for (std::size_t i = 0; i < result.of; ++i) {
    const MetricValue* const a = i < one.size() ? &one[i] : nullptr;
    const MetricValue* const b = i < other.size() ? &other[i] : nullptr;
    if (a != nullptr && b != nullptr) {
      if (are_equal(*a, *b, tolerance)) continue;
      if (std::isfinite(a->number) && std::isfinite(b->number)) {
        result.max_absolute =
            std::max(result.max_absolute, static_cast<double>(std::fabs(a->number - b->number)));
        result.max_relative = std::max(result.max_relative, relative_difference(a->number, b->number));
      }
    }
    if (result.count++ > 0) continue;
    result.step = i + 1;
    result.value = a != nullptr ? a->text : "not there";
    result.other_value = b != nullptr ? b->text : "not there";
    result.line = a != nullptr ? a->line : 0;
  }
  return result.count > 0 ? std::optional(result) : std::nullopt;
}

} // namespace detshim
