#include "environment/capture.h"
#include "log_diff/difference_report.h"
#include "report/json.h"
#include "support/wording.h"
#include "verify/report.h"

namespace detshim {
namespace {

Json run_json(const Run& run) {
  return {{"name", run.name},
          {"perturbation", run.perturbation == nullptr ? Json() : Json(run.perturbation->name)},
          {"seconds", run.ended - run.began},
          {"ending", run.ending()},
          {"folder", run.folder.string()}};
}

Json runs_json(const Verification& result) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    runs.push_back(run_json(result.runs[i]));
    runs.back()["log"] = unless_empty(result.logs[i].level);
  }
  return runs;
}

Json resumed_json(const Verification& result) {
  Json runs = Json::array();
  for (const std::optional<Run>* run : {&result.killed, &result.resumed})
    if (*run)
      runs.push_back(run_json(**run));
  return runs;
}

Json differences_json(const std::vector<Comparison>& comparisons) {
  Json differences = Json::array();
  for (const Comparison& comparison : comparisons)
    for (const auto& [item, what] : comparison.differences)
      differences.push_back({{"one", comparison.one},
                             {"other", comparison.other},
                             {"perturbation", unless_empty(comparison.perturbation_name())},
                             {"kind", item.kind_name()},
                             {"subject", unless_empty(item.subject)},
                             {"where", unless_empty(what.where)},
                             {"value", what.value},
                             {"other_value", what.other_value},
                             {"count", what.count},
                             {"of", what.of},
                             {"unit", what.unit},
                             {"max_absolute", what.has_numbers ? Json(what.max_absolute) : Json()},
                             {"max_relative", what.has_numbers ? Json(what.max_relative) : Json()},
                             {"not_comparable", what.not_comparable},
                             {"parts", what.parts},
                             {"text", comparison.one + " and " + comparison.other + ": " +
                                          describe_difference(what)}});
  return differences;
}

/// Its cause is null where the logs show none.
Json first_cause_json(const std::optional<FirstCause>& cause) {
  if (!cause)
    return nullptr;
  const RankDifference* const rank =
      cause->is_found() ? &cause->difference->ranks.front() : nullptr;
  return {{"one", cause->one},
          {"other", cause->other},
          {"log", unless_empty(cause->log)},
          {"other_log", unless_empty(cause->other_log)},
          {"result", cause->difference
                         ? Json(result_names[static_cast<int>(cause->difference->result())])
                         : Json()},
          {"place", unless_empty(cause->place())},
          {"rank", rank != nullptr ? Json(rank->rank) : Json()},
          {"role", rank != nullptr ? Json(role_names[static_cast<int>(rank->role)]) : Json()},
          {"cause", rank != nullptr ? cause_json(rank->causes.front()) : Json()},
          {"text", unless_empty(cause->text)},
          {"suspects", suspects_json(cause->suspects)},
          {"option", unless_empty(cause->option())},
          {"command", unless_empty(cause->command())}};
}

Json row_json(const LedgerRow& row) {
  return {{"function", row.function}, {"place", row.place},     {"whole", row.whole},
          {"killed", row.killed},     {"resumed", row.resumed}, {"began_anew", row.began_anew()}};
}

Json volatile_json(const Verification& result) {
  Json all = Json::array();
  for (const Comparison& comparison : result.comparisons)
    for (const VolatileLines& lines : comparison.volatile_lines)
      all.push_back({{"one", comparison.one},
                     {"other", comparison.other},
                     {"stream", stream_name(lines.stream)},
                     {"lines", lines.count},
                     {"line", lines.first.line},
                     {"value", lines.first.value},
                     {"other_value", lines.first.other_value}});
  return all;
}

} // namespace

void print_verify_json(const VerifyPlan& plan, const Verification& result, std::ostream& out) {
  const bool is_bounded = result.bound < 1;
  const auto sha256 = [&](const std::string& kind, const std::string& subject) -> Json {
    const auto hash = result.sha256.find({kind, subject});
    return hash == result.sha256.end() ? Json() : Json(unless_empty(hash->second));
  };
  const auto item_json = [&](const ComparedItem& item) -> Json {
    return {{"kind", item.kind_name()},
            {"subject", unless_empty(item.subject)},
            {"amount", item.amount},
            {"sha256", sha256(item.kind_name(), item.subject)},
            {"equal", find_differing(result, item) == nullptr},
            {"other_bytes", item.has_other_bytes},
            {"link", item.is_link}};
  };
  const auto problem_json = [](const Problem& problem) -> Json {
    return {{"kind", problem.kind}, {"text", problem.text}};
  };
  print_json(out,
             {{"schema_version", 1},
              {"verdict", answer_name(result.answer)},
              {"text", describe_answer(plan, result)},
              {"command", shown_words(plan.command)},
              {"seed", plan.seed},
              {"mode", mode_name(plan.mode)},
              {"until",
               plan.until && !plan.until->values() ? Json(plan.until->pattern()->text()) : Json()},
              {"first", plan.until && plan.until->values() ? Json(*plan.until->values()) : Json()},
              {"folder", plan.folder.string()},
              {"date", moment_text(static_cast<std::time_t>(result.began), "%Y-%m-%d %H:%M:%S")},
              {"seconds", result.ended - result.began},
              {"host", host_name()},
              {"detshim", DETSHIM_VERSION},
              {"library", {{"build_id", result.library_build}, {"sha256", sha256("library", "")}}},
              {"environment_sha256", sha256("environment", "")},
              {"controls", json_list(result.controls, run_json)},
              {"runs", runs_json(result)},
              {"resumed", resumed_json(result)},
              {"compared", json_list(all_items(result), item_json)},
              {"differences", differences_json(result.comparisons)},
              {"control_differences", differences_json(result.control_comparisons)},
              {"first_cause", first_cause_json(result.first_cause)},
              {"ledger", json_list(result.ledger, row_json)},
              {"volatile", volatile_json(result)},
              {"problems", json_list(result.problems, problem_json)},
              {"notes", result.remarks},
              {"environment_changes", result.environment_changes},
              {"equal_runs", is_bounded ? result.plain_runs : 0},
              {"bound", is_bounded ? Json(result.bound) : Json()},
              {"bound_text", unless_empty(describe_bound(result))},
              {"relative_tolerance", plan.rules.tolerance.relative},
              {"absolute_tolerance", plan.rules.tolerance.absolute}});
}

} // namespace detshim
