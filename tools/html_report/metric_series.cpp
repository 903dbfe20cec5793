#include "html_report/metric_series.h"

#include "support/exit_status.h"
#include "verify/contents/mapped_file.h"
#include "verify/pattern.h"

#include <algorithm>
#include <exception>
#include <filesystem>

namespace detshim {
namespace {

constexpr std::size_t most_series = 6; // more lines in one picture cannot be told apart

struct RunValues {
  const VerifyDocument::Run* run;
  std::vector<MetricValue> values;
  std::optional<MetricDifference> difference; ///< from the first run
};

/// The runs whose output can be read; of the others, why not is among the problems.
std::vector<RunValues> read_runs(const VerifyDocument& document, const Pattern& pattern, const char* stream,
                                 const Tolerance& tolerance, std::vector<std::string>& problems) {
  std::vector<RunValues> result;
  for (const VerifyDocument::Run& run : document.runs) {
    const std::string file = run.folder + "/" + stream;
    try {
      if (!std::filesystem::is_regular_file(file)) throw UsageError("there is no file '" + file + "'");
      result.push_back({&run, read_series(MappedFile(file).bytes(), pattern), std::nullopt});
    } catch (const std::exception& error) {
      problems.emplace_back(error.what());
      if (result.empty()) return {}; // without the first run there is nothing to compare with
      continue;
    }
    result.back().difference = compare_series(result.front().values, result.back().values, tolerance);
  }
  return result;
}

MetricCurves curves_of(const std::string& pattern, const char* stream, std::vector<RunValues> runs) {
  MetricCurves curves{pattern, stream, {}, 0, {}, std::nullopt};
  for (const RunValues& run : runs)
    if (run.difference && (!curves.first || run.difference->step < curves.first->step)) {
      curves.first = run.difference;
      curves.differing_run = run.run->name;
    }
  // The first run and the first to differ are always drawn.
  std::stable_sort(runs.begin() + 1, runs.end(), [&](const RunValues& a, const RunValues& b) {
    const auto order = [&](const RunValues& run) {
      return run.run->name == curves.differing_run ? 0 : run.difference ? 1 : 2;
    };
    return order(a) < order(b);
  });
  for (const RunValues& run : runs) {
    if (curves.series.size() == most_series) break;
    MetricSeries& series = curves.series.emplace_back();
    series.run = run.run->name;
    for (const MetricValue& value : run.values) series.values.push_back(value.number);
  }
  curves.runs_left_out = runs.size() - curves.series.size();
  return curves;
}

} // namespace

Metrics read_metrics(const VerifyDocument& document) {
  Metrics metrics;
  const Tolerance tolerance{document.relative_tolerance, document.absolute_tolerance};
  std::vector<std::string> seen;
  for (const VerifyDocument::Item& item : document.items) {
    if (item.kind != "metric" || std::ranges::find(seen, item.subject) != seen.end()) continue;
    seen.push_back(item.subject);
    try {
      const Pattern pattern(item.subject, "the metric");
      for (const char* const stream : {"stdout", "stderr"}) {
        std::vector<RunValues> runs = read_runs(document, pattern, stream, tolerance, metrics.problems);
        const bool has_values =
            std::ranges::any_of(runs, [](const RunValues& run) { return !run.values.empty(); });
        if (has_values) metrics.curves.push_back(curves_of(item.subject, stream, std::move(runs)));
      }
    } catch (const std::exception& error) {
      metrics.problems.emplace_back(error.what());
    }
  }
  std::ranges::sort(metrics.problems);
  metrics.problems.erase(std::unique(metrics.problems.begin(), metrics.problems.end()),
                         metrics.problems.end());
  return metrics;
}

} // namespace detshim
