// Decides whether a run that was killed and resumed gives what a whole one gives: the exit status,
// the outputs, and each metric as a series that the killed run begins and the resumed one ends.
// Steps that both have are compared twice. One step between them may be missing, and is named.
//
// It cannot know which step a value belongs to: the killed run's are taken for the first ones, the
// resumed run's for the last. Nor does it know whether a program set its seed again, so a generator
// that began anew is shown, and is no difference.
#include "verify/resumed.h"

#include "log_reader/log.h"
#include "log_reader/source_lines.h"
#include "log_reader/summary.h"
#include "report/log_report.h"
#include "support/mapped_file.h"
#include "support/wording.h"

#include <algorithm>
#include <map>
#include <utility>

namespace detshim {
namespace {

// ------------------------------------------------------------------ what was printed

using Series = std::vector<MetricValue>;

/// A series on one of the two streams, in three runs.
struct Joined {
  Series whole, killed, resumed;
};

/// The values of the killed run, then of the resumed one, step by step. If both runs have a step,
/// the resumed run's value counts; if the values differ, that is a difference. A step between them
/// may have been saved and not printed.
void compare_joined(const Joined& series, const ComparedItem& item, const ComparisonRules& rules,
                    Comparison& result) {
  const std::size_t all = series.whole.size(), begun = series.killed.size(),
                    ended = series.resumed.size();
  const auto differ = [&](std::size_t step, const std::string& part,
                          const MetricDifference& metric) {
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
    result.remarks.push_back(
        "metric '" + item.subject + "': step " + std::to_string(begun + 1) +
        " was not compared: it was saved, and the run killed before it was printed");
  if (const auto metric = compare_series(piece(0, begun), series.killed, rules.tolerance))
    differ(metric->step, "before it was killed", *metric);
  else if (const auto after =
               compare_series(piece(all - ended, all), series.resumed, rules.tolerance))
    differ(all - ended + after->step, "after it was resumed", *after);
}

void compare_metric(const Pattern& pattern, const Run& whole, const Run& killed, const Run& resumed,
                    const ComparisonRules& rules, Comparison& result) {
  bool is_there = false;
  for (const PrintedStream stream : both_streams) {
    const auto read = [&](const Run& run) {
      const MappedFile printed(run.printed(stream));
      // A line that the kill has cut holds no value.
      const std::string_view bytes = printed.bytes();
      return read_series(&run == &killed ? bytes.substr(0, bytes.rfind('\n') + 1) : bytes, pattern);
    };
    const Joined series{read(whole), read(killed), read(resumed)};
    if (series.whole.empty() && series.killed.empty() && series.resumed.empty())
      continue;
    is_there = true;
    const ComparedItem item{ItemKind::metric, pattern.text(),
                            counted(series.whole.size(), "value") + " on " + stream_name(stream),
                            true};
    compare_joined(series, item, rules, result);
    result.items.push_back(item);
  }
  if (!is_there)
    result.uncompared.push_back("--metric '" + pattern.text() + "' matches nothing");
}

// ------------------------------------------------------------------ what was drawn

using Rows = std::map<std::pair<std::string, std::string>, LedgerRow>;

/// True if no line of a file of the user's drew: what an interpreter imports as it starts, for one.
bool is_nobodys(const PythonFrames& python) {
  return !python.empty() && (!python.user || python.frames[*python.user].starts_with('<'));
}

void add_calls(const Run& run, std::uint64_t LedgerRow::*calls, SourceLines& source_lines,
               Rows& rows) {
  const Log log = read_log(run.log().string());
  for (const SymbolSummary& symbol : summarise(log).symbols) {
    if (symbol.action != Action::pin)
      continue;
    const std::string function = printable(symbol.library + "." + symbol.function);
    for (const CallPlace& from : symbol.places) {
      if (is_nobodys(from.python))
        continue;
      const std::string place = describe_call_site(from.at, from.frames, from.python, source_lines);
      LedgerRow& row = rows[{function, place}];
      row.function = function;
      row.place = place;
      row.*calls += from.count.calls;
    }
  }
}

} // namespace

Comparison compare_resumed(const Run& whole, const Run& killed, const Run& resumed,
                           const ComparisonRules& rules) {
  ComparisonRules without_lines = rules;
  without_lines.ignores_out = without_lines.ignores_err = true;
  without_lines.metrics.clear();
  Comparison result = compare_runs(whole, resumed, without_lines);
  result.is_resumed = true;
  for (const Pattern& pattern : rules.metrics)
    note_what_fails(result, [&] {
      compare_metric(pattern, whole, killed, resumed, rules, result);
    });
  if (rules.metrics.empty() && rules.outputs.empty())
    result.uncompared.emplace_back(
        "--resume compares outputs and metrics: neither --output nor --metric is given");
  result.remarks.emplace_back("what a resumed run prints is not compared, but for metrics");
  return result;
}

std::vector<LedgerRow> draw_ledger(const Run& whole, const Run& killed, const Run& resumed) {
  SourceLines source_lines;
  Rows rows;
  add_calls(whole, &LedgerRow::whole, source_lines, rows);
  add_calls(killed, &LedgerRow::killed, source_lines, rows);
  add_calls(resumed, &LedgerRow::resumed, source_lines, rows);
  std::vector<LedgerRow> ledger;
  for (auto& [key, row] : rows)
    ledger.push_back(std::move(row));
  std::ranges::stable_sort(ledger, [](const LedgerRow& a, const LedgerRow& b) {
    return std::pair(a.began_anew(), a.resumed) > std::pair(b.began_anew(), b.resumed);
  });
  return ledger;
}

std::string describe_row(const LedgerRow& row) {
  std::string text = row.function + " at " + row.place + ": " + counted(row.killed, "call") +
                     " until the kill, " + std::to_string(row.resumed) + " after it (" +
                     std::to_string(row.whole) + " in a whole run)";
  if (row.began_anew())
    text += ": it began anew, and gave the same again unless the program had set its seed";
  return text;
}

} // namespace detshim
