// Decides at which line a run ends.
//
// With a pattern each match counts, without one each result of a name (found_results.h). It cannot
// know whether a name shows a time: one that stands beside a result ends the run at the same line.
#include "verify/run_end.h"

#include "verify/found_results.h"

namespace detshim {

std::optional<std::size_t> RunEndSearch::find(std::string_view lines) {
  std::size_t begin = 0;
  for (std::size_t end; (end = lines.find_first_of(ends_of_lines, begin)) != lines.npos;) {
    if (ends_at(lines.substr(begin, end - begin)))
      return end + 1;
    begin = end + 1;
  }
  return std::nullopt;
}

bool RunEndSearch::ends_at(std::string_view line) {
  bool is_end = false;
  const auto count = [&](std::string_view name) {
    const std::size_t seen = ++seen_.try_emplace(std::string(name), 0).first->second;
    is_end |= seen >= end_.values().value_or(1);
  };
  if (end_.pattern())
    end_.pattern()->each_match(line, [&](Span, Span) {
      count("");
    });
  else
    each_result(line, count);
  return is_end;
}

} // namespace detshim
