// { schema: 1, verdict, text, command: [...], seed, mode, folder,   text: the closing line
//   runs: [{ name, perturbation, seconds, ending, folder, log }], controls: [the same without log],
//   resumed: [likewise: the killed run, and the one that took it up],
//   compared: [{ kind, subject, amount, equal }],
//   differences: [{ one, other, perturbation, kind, subject, where, value, other_value, count, of, unit,
//   max_absolute,
//                   max_relative, not_comparable, parts }], control_differences: [the same],
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

#include <ostream>

namespace detshim {
namespace {

constexpr int schema = 1;

void print_run(JsonWriter& json, const Run& run, const LogVerdict* log) {
  json.begin_object();
  json.member("name", run.name);
  json.member("perturbation", unless_empty(run.perturbation));
  json.member("seconds", run.ended - run.began);
  json.member("ending", run.ending());
  json.member("folder", run.folder.string());
  if (log != nullptr) json.member("log", unless_empty(log->level));
  json.end_object();
}

void print_difference(JsonWriter& json, const Comparison& comparison, const Difference& difference) {
  const ContentDifference& what = difference.what;
  json.begin_object();
  json.member("one", comparison.one);
  json.member("other", comparison.other);
  json.member("perturbation", unless_empty(comparison.perturbation));
  json.member("kind", difference.item.kind);
  json.member("subject", unless_empty(difference.item.subject));
  json.member("where", unless_empty(what.where));
  json.member("value", what.value);
  json.member("other_value", what.other_value);
  json.member("count", what.count);
  json.member("of", what.of);
  json.member("unit", what.unit);
  if (what.has_numbers) {
    json.member("max_absolute", what.max_absolute);
    json.member("max_relative", what.max_relative);
  } else {
    json.member("max_absolute", nullptr);
    json.member("max_relative", nullptr);
  }
  json.member("not_comparable", what.not_comparable);
  json.member("parts", what.parts);
  json.end_object();
}

void print_differences(JsonWriter& json, const std::vector<Comparison>& comparisons) {
  json.begin_array();
  for (const Comparison& comparison : comparisons)
    for (const Difference& difference : comparison.differences)
      print_difference(json, comparison, difference);
  json.end_array();
}

/// Its cause is null where the logs show none.
void print_first_cause(JsonWriter& json, const std::optional<FirstCause>& cause) {
  json.key("first_cause");
  if (!cause) {
    json.value(nullptr);
    return;
  }
  json.begin_object();
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
    json.key("cause");
    write_cause_json(json, rank.causes.front());
  } else {
    for (const char* const name : {"rank", "role", "cause"}) json.member(name, nullptr);
  }
  json.member("text", unless_empty(cause->text));
  json.key("suspects");
  json.begin_array();
  for (const Suspect& suspect : cause->suspects) {
    json.begin_object();
    json.member("kind", suspect.kind);
    json.member("text", suspect.text);
    json.end_object();
  }
  json.end_array();
  json.member("command", unless_empty(cause->command()));
  json.end_object();
}

void print_searches(JsonWriter& json, const std::vector<AllocationSearch>& searches) {
  json.key("allocations");
  json.begin_array();
  for (const AllocationSearch& search : searches) {
    json.begin_object();
    json.member("perturbation", search.perturbation);
    json.member("result", allocation_results[static_cast<int>(search.result)]);
    json.member("place", unless_empty(search.place));
    json.member("size", search.size);
    json.member("runs", search.runs);
    json.member("allocations", search.allocations);
    json.member("text", search.text);
    json.end_object();
  }
  json.end_array();
}

void print_ledger(JsonWriter& json, const std::vector<LedgerRow>& ledger) {
  json.key("ledger");
  json.begin_array();
  for (const LedgerRow& row : ledger) {
    json.begin_object();
    json.member("function", row.function);
    json.member("place", row.place);
    json.member("whole", row.whole);
    json.member("killed", row.killed);
    json.member("resumed", row.resumed);
    json.member("began_anew", row.began_anew());
    json.end_object();
  }
  json.end_array();
}

void print_volatile(JsonWriter& json, const Verification& result) {
  json.begin_array();
  for (const Comparison& comparison : result.comparisons)
    for (const VolatileLines& lines : comparison.volatile_lines) {
      json.begin_object();
      json.member("one", comparison.one);
      json.member("other", comparison.other);
      json.member("stream", lines.stream);
      json.member("lines", lines.count);
      json.member("line", lines.first.line);
      json.member("value", lines.first.value);
      json.member("other_value", lines.first.other_value);
      json.end_object();
    }
  json.end_array();
}

} // namespace

void print_verify_json(const VerifyPlan& plan, const Verification& result, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  json.member("schema", schema);
  json.member("verdict", answer_name(result.answer));
  json.member("text", describe_answer(plan, result));
  json.member("command", plan.command);
  json.member("seed", plan.seed);
  json.member("mode", plan.mode);
  json.member("folder", plan.folder.string());
  json.key("controls");
  json.begin_array();
  for (const Run& run : result.controls) print_run(json, run, nullptr);
  json.end_array();
  json.key("runs");
  json.begin_array();
  for (std::size_t i = 0; i < result.runs.size(); ++i) print_run(json, result.runs[i], &result.logs[i]);
  json.end_array();
  json.key("resumed");
  json.begin_array();
  if (result.killed) print_run(json, *result.killed, nullptr);
  if (result.resumed) print_run(json, *result.resumed, nullptr);
  json.end_array();
  json.key("compared");
  json.begin_array();
  for (const ComparedItem& item : all_items(result)) {
    json.begin_object();
    json.member("kind", item.kind);
    json.member("subject", unless_empty(item.subject));
    json.member("amount", item.amount);
    json.member("equal", find_differing(result, item) == nullptr);
    json.end_object();
  }
  json.end_array();
  json.key("differences");
  print_differences(json, result.comparisons);
  json.key("control_differences");
  print_differences(json, result.control_comparisons);
  print_first_cause(json, result.first_cause);
  print_searches(json, result.searches);
  print_ledger(json, result.ledger);
  json.key("volatile");
  print_volatile(json, result);
  json.key("problems");
  json.begin_array();
  for (const Problem& problem : result.problems) {
    json.begin_object();
    json.member("kind", problem.kind);
    json.member("text", problem.text);
    json.end_object();
  }
  json.end_array();
  json.member("notes", result.remarks);
  json.member("environment_changes", result.environment_changes);
  json.member("equal_runs", result.bound < 1 ? result.plain_runs : 0);
  if (result.bound < 1)
    json.member("bound", result.bound);
  else
    json.member("bound", nullptr);
  json.member("bound_text", unless_empty(describe_bound(result)));
  json.member("relative_tolerance", plan.rules.tolerance.relative);
  json.member("absolute_tolerance", plan.rules.tolerance.absolute);
  json.end_object();
  out << '\n';
}

} // namespace detshim
