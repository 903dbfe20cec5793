// Finds the results of a program in what it prints, to say which of them are equal, and where one
// differs first.
//
// A result is a number that stands behind its name, with `=`, `:` or blanks between. Under one name
// some value has a fraction or an exponent: whole numbers alone are counters. Versions, numbers
// with a unit, and the first of two (`0.5/0.3`, `0.5 ± 0.1`) are none. What is found here decides
// nothing: the lines themselves were compared, and a result differs only where its line does.
//
// It cannot know what a name means, nor find a column of a table whose name stands above.
#include "verify/found_results.h"

#include "support/wording.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace detshim {
namespace {

/// The number at the begin of the text; nothing for one with more behind it.
std::optional<MetricValue> result_at(std::string_view text, std::uint64_t line) {
  static const Pattern result(
      R"(^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|NaN|inf|Infinity))"
      R"((?![\w.]*\w)(?!%?\s*(?:/|±|\+|->|\.\.|%\S)))",
      "a result");
  std::optional<MetricValue> found;
  result.each_match(text, [&](Span match, Span) {
    if (const std::optional<long double> number = number_of(match.of(text)))
      found = MetricValue{*number, std::string(match.of(text)), line};
  });
  return found;
}

/// Calls visit(the name and what follows it up to the number, the name) for each.
void each_name(std::string_view line, const std::function<void(Span, Span)>& visit) {
  static const Pattern named(R"((?<![\w.])(?|["']([A-Za-z][^"']{0,60})["']\s*:\s*)"
                             R"(|([A-Za-z][\w/@.-]*)(?:\s*[=:]\s*|\s+))(?=[-+]?[\d.niNI]))",
                             "a result's name");
  named.each_match(line, visit);
}

/// As counters are printed.
bool is_whole(const MetricValue& value) {
  return value.text.find_first_not_of("+-0123456789") == value.text.npos;
}

} // namespace

void each_result(std::string_view line, const std::function<void(std::string_view)>& visit) {
  each_name(line, [&](Span match, Span name) {
    const std::optional<MetricValue> value = result_at(line.substr(match.end), 0);
    if (value && !is_whole(*value))
      visit(name.of(line));
  });
}

void FoundResults::add(const ComparedLine& one, const ComparedLine& other, std::uint64_t number) {
  read(one, number, &Pair::one);
  read(other, number, &Pair::other);
}

VisitLines FoundResults::visit() {
  return [this](const ComparedLine& one, const ComparedLine& other, std::uint64_t number) {
    add(one, other, number);
  };
}

std::vector<FoundResults::Pair> FoundResults::pairs() const {
  std::vector<Pair> results;
  std::ranges::copy_if(pairs_, std::back_inserter(results), [this](const Pair& pair) {
    const bool is_counter =
        std::ranges::all_of(pair.one, is_whole) && std::ranges::all_of(pair.other, is_whole);
    return !is_counter && !of_times_.contains(pair.name);
  });
  return results;
}

void FoundResults::read(const ComparedLine& lines, std::uint64_t number,
                        std::vector<MetricValue> Pair::*side) {
  each_name(lines.without_times, [&](Span match, Span name) {
    if (const std::optional<MetricValue> value =
            result_at(lines.without_times.substr(match.end), number))
      (pair_of(name.of(lines.without_times)).*side).push_back(*value);
  });
  if (lines.printed == lines.without_times)
    return;
  each_name(lines.printed, [&](Span match, Span name) {
    const std::string whole(match.of(lines.printed));
    if (result_at(lines.printed.substr(match.end), number) &&
        lines.without_times.find(whole + '\0') != std::string_view::npos)
      of_times_.emplace(name.of(lines.printed));
  });
}

FoundResults::Pair& FoundResults::pair_of(std::string_view name) {
  const auto known = places_.find(name);
  if (known != places_.end())
    return pairs_[known->second];
  places_.emplace(name, pairs_.size());
  pairs_.push_back({std::string(name), {}, {}});
  return pairs_.back();
}

} // namespace detshim
