// Decides whether two series of numbers are equal, step by step: digit by digit, or within the
// user's tolerance.
//
// A series is what the first group of the user's regular expression matches, in the order of the
// lines. What is no number, or a part of one, is refused: two such parts may be equal where the
// numbers differ.
//
// It cannot know which step a number belongs to. Series are paired by position, so a value that one
// run left out shifts all behind it, and shows.
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
  if (tolerance.is_exact() || a.text == b.text)
    return a.text == b.text;
  if (!std::isfinite(a.number) || !std::isfinite(b.number))
    return a.number == b.number || (std::isnan(a.number) && std::isnan(b.number));
  // What a longer text loses in reading may be all that differs.
  long double difference = std::fabs(a.number - b.number);
  if (std::max(a.text.size(), b.text.size()) > LDBL_DIG)
    difference += LDBL_EPSILON * std::max(std::fabs(a.number), std::fabs(b.number));
  return difference <= tolerance.absolute + tolerance.relative * std::fabs(b.number);
}

/// True if some number of the line lies in the group and beside it: what is compared would be a
/// part of it. A sign is no part of a number: it may be a dash.
bool cuts_number(std::string_view line, Span group) {
  static const Pattern number(R"((?:\d+\.?\d*|\.\d+)[eE][-+]?\d+|\d+(?:\.\d+)?|\.\d+)", "");
  // No number reaches further: a line of thousands of them is not searched for each.
  constexpr std::string_view characters_of_numbers = "0123456789.eE+-";
  const std::size_t begin =
      line.substr(0, group.begin).find_last_not_of(characters_of_numbers) + 1; // 0: none
  const std::size_t end =
      std::min(line.find_first_not_of(characters_of_numbers, group.end), line.size());
  bool is_cut = false;
  number.each_match(line.substr(begin, end - begin), [&](Span match, Span) {
    const std::size_t first = begin + match.begin, last = begin + match.end;
    const bool is_met = first < group.end && group.begin < last;
    const bool is_whole = group.begin <= first && last <= group.end;
    is_cut |= is_met && !is_whole;
  });
  return is_cut;
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
      if (!value)
        throw UsageError(took + "no number");
      if (cuts_number(line, group))
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
      if (are_equal(*a, *b, tolerance))
        continue;
      if (std::isfinite(a->number) && std::isfinite(b->number))
        result.add_numbers(a->number, b->number);
    }
    if (result.count++ > 0)
      continue;
    result.step = i + 1;
    result.value = a != nullptr ? a->text : "not there";
    result.other_value = b != nullptr ? b->text : "not there";
    result.line = a != nullptr ? a->line : 0;
  }
  return result.count > 0 ? std::optional(result) : std::nullopt;
}

} // namespace detshim
