// { schema_version: 1, verdict, text, command: [...], seed, mode, folder,   text: the closing line
//   runs: [{ name, perturbation, seconds, ending, folder, log }], controls: [the same without log],
//   resumed: [likewise: the killed run, and the one that took it up],
//   compared: [{ kind, subject, amount, equal }],
//   differences: [{ one, other, perturbation, kind, subject, where, value, other_value, count, of, unit,
//   max_absolute,
//                   max_relative, not_comparable, parts, text }], control_differences: [the same],
//   first_cause: null where nothing differs, else { one, other, log, other_log, result, place, rank, role,
//   cause,
//                text, suspects: [{ kind, text }], command }: of the pair whose logs were compared, what `log
//                diff --json` says,
//   allocations: [{ perturbation, result, place, size, runs, allocations, text }], of --allocations: one for
//   each perturbation that was searched; result: "proved", "together", "elsewhere" or "stopped", ledger: [{
//   function, place, whole, killed, resumed, began_anew }], of --resume: pinned calls, volatile: [{ one,
//   other, stream, lines, line, value, other_value }], problems: [{ kind, text }], notes: [...],
//   environment_changes: [...], equal_runs, bound, bound_text, relative_tolerance, absolute_tolerance }
// A null stands for what is not known; max_absolute and max_relative are null where no numbers differ.
#include "log_diff/difference_report.h"
#include "report/json_writer.h"
#include "verify/report.h"

#include <limits>
#include <optional>
#include <ostream>
#include <utility>

namespace detshim {
namespace {

constexpr int schema_version = 1;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN(); // written as null

void print_run(JsonWriter& json, const Run& run) {
  json.member("name", run.name);
  json.member("perturbation", unless_empty(run.perturbation));
  json.member("seconds", run.ended - run.began);
  json.member("ending", run.ending());
  json.member("folder", run.folder.string());
}

/// Both, where they were made.
std::vector<Run> runs_of_resume(const Verification& result) {
  std::vector<Run> runs;
  if (result.killed) runs.push_back(*result.killed);
  if (result.resumed) runs.push_back(*result.resumed);
  return runs;
}

void print_differences(JsonWriter& json, const char* name, const std::vector<Comparison>& comparisons) {
  std::vector<std::pair<const Comparison*, const Difference*>> all;
  for (const Comparison& comparison : comparisons)
    for (const Difference& difference : comparison.differences) all.emplace_back(&comparison, &difference);
  json.objects(name, all, [&](const auto& one) {
    const auto& [comparison, difference] = one;
    const ContentDifference& what = difference->what;
    json.member("one", comparison->one);
    json.member("other", comparison->other);
    json.member("perturbation", unless_empty(comparison->perturbation));
    json.member("kind", difference->item.kind);
    json.member("subject", unless_empty(difference->item.subject));
    json.member("where", unless_empty(what.where));
    json.member("value", what.value);
    json.member("other_value", what.other_value);
    json.member("count", what.count);
    json.member("of", what.of);
    json.member("unit", what.unit);
    json.member("max_absolute", what.has_numbers ? what.max_absolute : unknown);
    json.member("max_relative", what.has_numbers ? what.max_relative : unknown);
    json.member("not_comparable", what.not_comparable);
    json.member("parts", what.parts);
    json.member("text", comparison->one + " and " + comparison->other + ": " + describe_difference(what));
  });
}

/// Its cause is null where the logs show none.
void print_first_cause(JsonWriter& json, const std::optional<FirstCause>& cause) {
  if (!cause) return json.member("first_cause", nullptr);
  json.object("first_cause", [&] {
    json.member("one", cause->one);
    json.member("other", cause->other);
    json.member("log", unless_empty(cause->log));
    json.member("other_log", unless_empty(cause->other_log));
    if (cause->difference)
      json.member("result", result_names[static_cast<int>(cause->difference->result())]);
    else
      json.member("result", nullptr);
    json.member("place", unless_empty(cause->place()));
    if (cause->is_found()) {
      const RankDifference& rank = cause->difference->ranks.front();
      json.member("rank", rank.rank);
      json.member("role", role_names[static_cast<int>(rank.role)]);
      json.object("cause", [&] { write_cause_json(json, rank.causes.front()); });
    } else {
      for (const char* const name : {"rank", "role", "cause"}) json.member(name, nullptr);
    }
    json.member("text", unless_empty(cause->text));
    write_suspects_json(json, cause->suspects);
    json.member("command", unless_empty(cause->command()));
  });
}

void print_volatile(JsonWriter& json, const Verification& result) {
  std::vector<std::pair<const Comparison*, const VolatileLines*>> all;
  for (const Comparison& comparison : result.comparisons)
    for (const VolatileLines& lines : comparison.volatile_lines) all.emplace_back(&comparison, &lines);
  json.objects("volatile", all, [&](const auto& one) {
    const auto& [comparison, lines] = one;
    json.member("one", comparison->one);
    json.member("other", comparison->other);
    json.member("stream", lines->stream);
    json.member("lines", lines->count);
    json.member("line", lines->first.line);
    json.member("value", lines->first.value);
    json.member("other_value", lines->first.other_value);
  });
}

} // namespace

void print_verify_json(const VerifyPlan& plan, const Verification& result, std::ostream& out) {
  JsonWriter json(out);
  const bool is_bounded = result.bound < 1;
  const auto print_one = [&](const Run& run) { print_run(json, run); };
  json.object([&] {
    json.member("schema_version", schema_version);
    json.member("verdict", answer_name(result.answer));
    json.member("text", describe_answer(plan, result));
    json.member("command", plan.command);
    json.member("seed", plan.seed);
    json.member("mode", plan.mode);
    json.member("folder", plan.folder.string());
    json.objects("controls", result.controls, print_one);
    json.objects("runs", result.runs, [&](const Run& run) {
      print_run(json, run);
      json.member("log",
                  unless_empty(result.logs[static_cast<std::size_t>(&run - result.runs.data())].level));
    });
    json.objects("resumed", runs_of_resume(result), print_one);
    json.objects("compared", all_items(result), [&](const ComparedItem& item) {
      json.member("kind", item.kind);
      json.member("subject", unless_empty(item.subject));
      json.member("amount", item.amount);
      json.member("equal", find_differing(result, item) == nullptr);
    });
    print_differences(json, "differences", result.comparisons);
    print_differences(json, "control_differences", result.control_comparisons);
    print_first_cause(json, result.first_cause);
    json.objects("allocations", result.searches, [&](const AllocationSearch& search) {
      json.member("perturbation", search.perturbation);
      json.member("result", allocation_results[static_cast<int>(search.result)]);
      json.member("place", unless_empty(search.place));
      json.member("size", search.size);
      json.member("runs", search.runs);
      json.member("allocations", search.allocations);
      json.member("text", search.text);
    });
    json.objects("ledger", result.ledger, [&](const LedgerRow& row) {
      json.member("function", row.function);
      json.member("place", row.place);
      json.member("whole", row.whole);
      json.member("killed", row.killed);
      json.member("resumed", row.resumed);
      json.member("began_anew", row.began_anew());
    });
    print_volatile(json, result);
    json.objects("problems", result.problems, [&](const Problem& problem) {
      json.member("kind", problem.kind);
      json.member("text", problem.text);
    });
    json.member("notes", result.remarks);
    json.member("environment_changes", result.environment_changes);
    json.member("equal_runs", is_bounded ? result.plain_runs : 0);
    json.member("bound", is_bounded ? result.bound : unknown);
    json.member("bound_text", unless_empty(describe_bound(result)));
    json.member("relative_tolerance", plan.rules.tolerance.relative);
    json.member("absolute_tolerance", plan.rules.tolerance.absolute);
  });
  out << '\n';
}

} // namespace detshim
