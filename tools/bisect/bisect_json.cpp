#include "bisect/bisect.h"
#include "report/json.h"
#include "support/wording.h"

namespace detshim {
namespace {

Json trial_json(const Bisection& result, const Trial& trial) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < result.parts.size(); ++i)
    if (trial.kept.empty() || trial.kept[i]) kept.push_back(result.parts[i].name);
  return {{"first_run", trial.first_run},
          {"runs", trial.runs},
          {"kept", kept},
          {"differing", trial.differing},
          {"problem", unless_empty(trial.problem)},
          {"folder", trial.folder}};
}

Json trial_json(const Bisection& result, const std::optional<Trial>& trial) {
  return trial ? trial_json(result, *trial) : Json();
}

const char* kind_of(const UsedPart& part) {
  if (part.disables.empty()) return "layout";
  return part.name.starts_with("env:") ? "setting" : "hook";
}

} // namespace

void print_bisect_json(const BisectPlan& plan, const Bisection& result, std::ostream& out) {
  const bool is_found = !result.needed.empty();
  const auto part_json = [&](const UsedPart& part) -> Json {
    const auto i = static_cast<std::size_t>(&part - result.parts.data());
    return {{"name", part.name},
            {"kind", kind_of(part)},
            {"calls", part.calls},
            {"asked_for", !part.is_unread},
            {"needed", static_cast<bool>(result.needed[i])},
            {"without", trial_json(result, result.without[i])}};
  };
  print_json(out,
             {{"schema_version", 1},
              {"verdict", answer_name(result.answer)},
              {"text", describe_bisection(result)},
              {"command", plan.verify.command},
              {"seed", plan.verify.seed},
              {"mode", plan.verify.mode},
              {"folder", plan.verify.folder.string()},
              {"parts", json_list(result.parts, part_json)},
              {"disable", is_found ? Json(disable_list(plan, result)) : Json()},
              {"keep_aslr", is_found ? Json(leaves_layout_random(result)) : Json()},
              {"confirmed", trial_json(result, result.confirmed)},
              {"trials", json_list(result.trials, [&](const Trial& one) { return trial_json(result, one); })},
              {"runs", result.runs},
              {"most_runs", plan.most_runs},
              {"is_out_of_runs", result.is_out_of_runs}});
}

} // namespace detshim
