#include "verify/resumed.h"

#include "support/wording.h"
#include "verify/artifact_formats/mapped_file.h"

namespace detshim {
namespace {

using Series = std::vector<MetricValue>;

/// A series on one of the two streams, in three runs.
struct Joined {
  Series whole, killed, resumed;
};

/// What came of the killed run, then of the resumed one, step by step; a step that both have is what the
/// resumed one says, unless they differ in it. One between them may have been saved and not yet printed.
void compare_joined(const Joined& series, const ComparedItem& item, const ComparisonRules& rules,
                    Comparison& result) {
  const std::size_t all = series.whole.size(), begun = series.killed.size(), ended = series.resumed.size();
  const auto differ = [&](std::size_t step, const std::string& part, const MetricDifference& metric) {
    ContentDifference what = metric;
    what.where = "step " + std::to_string(step) + " (" + part + ")";
    result.differences.push_back({item, std::move(what)});
  };
  const auto piece = [&](std::size_t begin, std::size_t end) {
    return Series(series.whole.begin() + static_cast<std::ptrdiff_t>(begin),
                  series.whole.begin() + static_cast<std::ptrdiff_t>(end));
  };
  if (begun > all || ended > all || begun + ended + 1 < all) {
    const std::string parts =
        std::to_string(begun) + " until it was killed, " + std::to_string(ended) + " after";
    result.differences.push_back({item, {"steps", std::to_string(all), parts}});
    return;
  }
  if (begun + ended < all)
    result.remarks.push_back("metric '" + item.subject + "': step " + std::to_string(begun + 1) +
                             " was not compared: it was saved, and the run killed before it was printed");
  if (const auto metric = compare_series(piece(0, begun), series.killed, rules.tolerance))
    differ(metric->step, "before it was killed", *metric);
  else if (const auto after = compare_series(piece(all - ended, all), series.resumed, rules.tolerance))
    differ(all - ended + after->step, "after it was resumed", *after);
}

void compare_metric(const Pattern& pattern, const Run& whole, const Run& killed, const Run& resumed,
                    const ComparisonRules& rules, Comparison& result) {
  bool is_there = false;
  for (const bool is_err : {false, true}) {
    const auto read = [&](const Run& run) {
      const MappedFile printed(is_err ? run.err() : run.out());
      // A line that the kill has cut holds no value.
      const std::string_view bytes = printed.bytes();
      return read_series(&run == &killed ? bytes.substr(0, bytes.rfind('\n') + 1) : bytes, pattern);
    };
    const Joined series{read(whole), read(killed), read(resumed)};
    if (series.whole.empty() && series.killed.empty() && series.resumed.empty()) continue;
    is_there = true;
    const ComparedItem item{"metric", pattern.text(),
                            counted(series.whole.size(), "value") + " on " + (is_err ? "stderr" : "stdout"),
                            true};
    compare_joined(series, item, rules, result);
    result.items.push_back(item);
  }
  if (!is_there) result.uncompared.push_back("--metric '" + pattern.text() + "' matches nothing");
}

} // namespace

Comparison compare_resumed(const Run& whole, const Run& killed, const Run& resumed,
                           const ComparisonRules& rules) {
  ComparisonRules without_lines = rules;
  without_lines.ignores_out = without_lines.ignores_err = true;
  without_lines.metrics.clear();
  Comparison result = compare_runs(whole, resumed, without_lines);
  result.perturbation = "resume";
  for (const Pattern& pattern : rules.metrics)
    note_what_fails(result, [&] { compare_metric(pattern, whole, killed, resumed, rules, result); });
  if (rules.metrics.empty() && rules.outputs.empty())
    result.uncompared.emplace_back(
        "--resume compares outputs and metrics: neither --output nor --metric is given");
  result.remarks.emplace_back("what a resumed run prints is not compared, but for metrics");
  return result;
}

} // namespace detshim
