#include "verify/compared_texts.h"

namespace detshim {

RunFacts facts_of(const Run& run) {
  return {run.began, run.ended, run.processes, run.reads_clocks, run.may_show_times};
}

VolatileText volatile_text_of(const Run& run, const ComparisonRules& rules) {
  const auto add = [](const std::vector<std::string>& formats, std::vector<Pattern>& to) {
    for (const std::string& format : formats)
      to.emplace_back(format, "a print of the program's");
  };
  std::vector<Pattern> times, rates;
  add(run.shown_formats, times);
  add(run.time_formats, times);
  add(run.rate_formats, rates);
  return VolatileText(rules.declared_volatile, std::move(times), std::move(rates));
}

const std::vector<Pattern>& tolerated_metrics(const ComparisonRules& rules) {
  static const std::vector<Pattern> none;
  return rules.tolerance.is_exact() ? none : rules.metrics;
}

ContentDifference content_difference(const LineComparison& lines) {
  const LinePair& pair = lines.first_different;
  return {.where = "line " + std::to_string(pair.line),
          .value = pair.value,
          .other_value = pair.other_value,
          .count = lines.different,
          .of = lines.lines,
          .unit = "line",
          .are_lines = pair.are_lines,
          .at = pair.at,
          .other_at = pair.other_at};
}

} // namespace detshim
