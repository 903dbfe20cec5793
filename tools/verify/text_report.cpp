#include "report/style.h"
#include "support/wording.h"
#include "verify/report.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iostream>
#include <string_view>

namespace detshim {
namespace {

constexpr std::size_t run_width = sizeof "perturb fill-negative" - 1;

void print_run(const Run& run, const LogVerdict* log) {
  std::cout << "  " << padded(run.name, run_width)
            << fmt::format("  {:.1f} s, {}", run.ended - run.began, run.ending());
  if (log != nullptr && !log->level.empty())
    std::cout << ", log " << log->level;
  std::cout << '\n';
}

void print_first_cause(const Verification& result, const Style& style) {
  if (!result.first_cause)
    return;
  std::string before = label("logs");
  for (const std::string& line : describe_first_cause(*result.first_cause, style)) {
    std::cout << before << line << '\n';
    before = label("");
  }
}

/// Of each thing the first pair of plain runs, and in how many more it differs. Of results the
/// first few, and how many more differ.
void print_differences(const Verification& result, const Style& style) {
  constexpr std::size_t most_results = 2;
  std::size_t results = 0;
  for (const Comparison& comparison : result.comparisons)
    for (const Difference& difference : comparison.differences) {
      const auto differs_too = [&](const Comparison& other) {
        return other.perturbation == comparison.perturbation &&
               other.is_resumed == comparison.is_resumed && other.differs_in(difference.item);
      };
      if (&*std::ranges::find_if(result.comparisons, differs_too) != &comparison)
        continue;
      if (difference.item.kind == ItemKind::result && ++results > most_results)
        continue;
      const auto more =
          static_cast<std::size_t>(std::ranges::count_if(result.comparisons, differs_too)) - 1;
      std::cout << style.red(label("different")) << describe_item(difference.item) << ", "
                << comparison.one << " and " << comparison.other
                << (more > 0 ? " (and " + std::to_string(more) + " more)" : "") << ": "
                << describe_difference(difference.what) << '\n';
    }
  if (results > most_results)
    std::cout << label("") << counted(results - most_results, "result") << " more: see --json\n";
}

/// One line a stream: the pair with the most.
void print_volatile_lines(const Verification& result) {
  for (const PrintedStream stream : both_streams) {
    const VolatileLines* most = nullptr;
    const Comparison* where = nullptr;
    for (const Comparison& comparison : result.comparisons)
      for (const VolatileLines& lines : comparison.volatile_lines)
        if (lines.stream == stream && (most == nullptr || lines.count > most->count)) {
          most = &lines;
          where = &comparison;
        }
    if (most == nullptr)
      continue;
    constexpr std::size_t longest = 60;
    std::cout << label("volatile") << stream_name(stream) << ", " << where->one << " and "
              << where->other << ": " << counted(most->count, "line")
              << " equal but for times, processes and what --volatile names; line "
              << most->first.line << ": "
              << describe_pair(most->first.value, most->first.other_value, longest) << '\n';
  }
}

/// Where a resumed run came out otherwise: what it drew a second time.
void print_ledger(const Verification& result) {
  const auto is_resumed = [](const Comparison& comparison) {
    return comparison.is_resumed && comparison.differs();
  };
  if (std::ranges::none_of(result.comparisons, is_resumed))
    return;
  constexpr std::size_t most = 5;
  std::size_t rows = 0;
  for (const LedgerRow& row : result.ledger)
    if (row.began_anew() && ++rows <= most)
      std::cout << label(rows == 1 ? "ledger" : "") << describe_row(row) << '\n';
  if (rows == 0)
    std::cout << label("ledger")
              << "no line drew again what detshim pins; a generator that the program seeds itself "
              << "begins anew too: keep its state with the step\n";
  if (rows > most)
    std::cout << label("") << counted(rows - most, "place") << " more: see --json\n";
}

void print_environment_changes(const Verification& result, const Style& style) {
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < std::min(most, result.environment_changes.size()); ++i)
    std::cout << (i == 0 ? style.red(label("environment")) : label(""))
              << (i == 0 ? "changed while the runs ran: " : "") << result.environment_changes[i]
              << '\n';
  if (result.environment_changes.size() > most)
    std::cout << label("") << counted(result.environment_changes.size() - most, "change")
              << " more: see --json\n";
}

void print_control(const Verification& result) {
  for (const Comparison& comparison : result.control_comparisons) {
    if (comparison.differences.empty()) {
      std::cout << label("control") << "two runs without enforcement are equal\n";
      continue;
    }
    const Difference& first = comparison.differences.front();
    std::cout << label("control") << "without enforcement, "
              << counted(comparison.differences.size(), "thing")
              << (comparison.differences.size() == 1 ? " differs" : " differ") << "; "
              << describe_item(first.item) << ": " << describe_difference(first.what) << '\n';
  }
}

} // namespace

void print_verify_text(const VerifyPlan& plan, const Verification& result) {
  const Style style{wants_colour()};
  std::cout << describe_plan(plan);
  for (const Run& run : result.controls)
    print_run(run, nullptr);
  for (std::size_t i = 0; i < result.runs.size(); ++i)
    print_run(result.runs[i], &result.logs[i]);
  if (result.killed)
    print_run(*result.killed, nullptr);
  if (result.resumed)
    print_run(*result.resumed, nullptr);
  std::cout << '\n';
  print_control(result);
  print_environment_changes(result, style);
  std::string equal;
  for (const ComparedItem& item : all_items(result))
    if (find_differing(result, item) == nullptr && item.kind != ItemKind::result)
      equal += (equal.empty() ? "" : "\n" + label("")) + describe_item(item) + " (" +
               printable(item.amount) + ")";
  if (!equal.empty())
    std::cout << label("equal") << equal << '\n';
  if (const std::string results = describe_equal_results(result); !results.empty())
    std::cout << label("results") << "equal: " << results << '\n';
  print_volatile_lines(result);
  print_differences(result, style);
  print_first_cause(result, style);
  print_ledger(result);
  for (const std::string& remark : result.remarks)
    std::cout << label("note") << printable(remark) << '\n';
  for (const Problem& problem : result.problems)
    std::cout << style.red(label("unverified")) << problem.kind << ": " << printable(problem.text)
              << '\n';
  if (const std::string bound = describe_bound(result); !bound.empty())
    std::cout << label("bound") << bound << '\n';
  std::cout << '\n' << style.bold("verdict: " + describe_answer(plan, result)) << '\n';
}

} // namespace detshim
