#include "html_report/metric_series.h"

#include "support/exit_status.h"
#include "verify/artifact_formats/mapped_file.h"
#include "verify/pattern.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>

namespace detshim {
namespace {

constexpr std::size_t most_series = 6; // more lines in one picture cannot be told apart

struct RunValues {
  const VerifyDocument::Run* run;
  MetricSeries::Kind kind;
  std::vector<MetricValue> values;
  std::optional<MetricDifference> difference; ///< from the first run; not of a control
};

/// The part of the first run that a killed run, or the one that took it up, repeats.
std::vector<MetricValue> repeated(const std::vector<MetricValue>& whole, const RunValues& run) {
  const std::size_t size = std::min(run.values.size(), whole.size());
  const auto begin =
      run.kind == MetricSeries::resumed ? whole.end() - static_cast<std::ptrdiff_t>(size) : whole.begin();
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

/// The step of the run's first value in the first run.
std::size_t first_step(const std::vector<MetricValue>& whole, const RunValues& run) {
  return run.kind == MetricSeries::resumed ? whole.size() - std::min(run.values.size(), whole.size()) : 0;
}

void compare(const std::vector<MetricValue>& whole, const Tolerance& tolerance, RunValues& run) {
  if (run.kind == MetricSeries::control) return;
  run.difference =
      compare_series(run.kind == MetricSeries::plain ? whole : repeated(whole, run), run.values, tolerance);
  if (run.difference) run.difference->step += first_step(whole, run);
}

/// Reads one stream of all runs, the first run first; of those that cannot be read, why is among the
/// problems.
class RunReader {
public:
  RunReader(const Pattern& pattern, const char* stream, const Tolerance& tolerance,
            std::vector<std::string>& problems)
      : pattern_(pattern), stream_(stream), tolerance_(tolerance), problems_(problems) {}

  std::vector<RunValues> read_all(const VerifyDocument& document) {
    for (const VerifyDocument::Run& run : document.runs) {
      read(run, MetricSeries::plain);
      if (result_.empty()) return {}; // without the first run there is nothing to compare with
    }
    for (const VerifyDocument::Run& run : document.resumed)
      read(run, &run == document.resumed.data() ? MetricSeries::killed : MetricSeries::resumed);
    for (const VerifyDocument::Run& run : document.controls) read(run, MetricSeries::control);
    return std::move(result_);
  }

private:
  void read(const VerifyDocument::Run& run, MetricSeries::Kind kind) {
    const std::string file = run.folder + "/" + stream_;
    try {
      if (!std::filesystem::is_regular_file(file)) throw UsageError("there is no file '" + file + "'");
      result_.push_back({&run, kind, read_series(MappedFile(file).bytes(), pattern_), std::nullopt});
    } catch (const std::exception& error) {
      problems_.emplace_back(error.what());
      return;
    }
    compare(result_.front().values, tolerance_, result_.back());
  }

  const Pattern& pattern_;
  const char* stream_;
  const Tolerance& tolerance_;
  std::vector<std::string>& problems_;
  std::vector<RunValues> result_;
};

MetricSeries series_of(const RunValues& run, const std::vector<MetricValue>& whole) {
  MetricSeries series{run.run->name, {}, first_step(whole, run), run.kind};
  series.values.assign(series.begin, std::numeric_limits<double>::quiet_NaN());
  for (const MetricValue& value : run.values) series.values.push_back(value.number);
  return series;
}

MetricCurves curves_of(const std::string& pattern, const char* stream, std::vector<RunValues> runs) {
  MetricCurves curves{pattern, stream, {}, 0, {}, std::nullopt};
  for (const RunValues& run : runs)
    if (run.difference && (!curves.first || run.difference->step < curves.first->step)) {
      curves.first = run.difference;
      curves.differing_run = run.run->name;
    }
  // The first run and the first to differ are always drawn, and what is no plain run.
  const std::vector<MetricValue> whole = runs.front().values;
  std::stable_sort(runs.begin() + 1, runs.end(), [&](const RunValues& a, const RunValues& b) {
    const auto order = [&](const RunValues& run) {
      return run.kind != MetricSeries::plain         ? 3
             : run.run->name == curves.differing_run ? 0
             : run.difference                        ? 1
                                                     : 2;
    };
    return order(a) < order(b);
  });
  const auto marked = static_cast<std::size_t>(
      std::ranges::count_if(runs, [](const RunValues& run) { return run.kind != MetricSeries::plain; }));
  const std::size_t most_plain = most_series - std::min(marked, most_series - 2);
  for (const RunValues& run : runs) {
    const bool has_room = curves.series.size() < (run.kind == MetricSeries::plain ? most_plain : most_series);
    if (has_room)
      curves.series.push_back(series_of(run, whole));
    else
      ++curves.runs_left_out;
  }
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
        std::vector<RunValues> runs =
            RunReader(pattern, stream, tolerance, metrics.problems).read_all(document);
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
