#include "bisect/bisect.h"
#include "report/json.h"
#include "report/style.h"
#include "support/wording.h"
#include "verify/report.h"

#include <algorithm>
#include <iostream>

namespace detshim {
namespace {

constexpr std::size_t name_width = 34;

/// "differed 3 of 3 without it".
std::string describe_outcome(const Trial& trial) {
  if (trial.differing > 0)
    return "differed " + std::to_string(trial.differing) + " of " + std::to_string(trial.runs - 1);
  return trial.problem.empty() ? counted(trial.runs, "equal run") : printable(trial.problem);
}

void print_needed(const Bisection& result, const Style& style) {
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    if (!result.needed[i]) continue;
    const std::optional<Trial>& without = result.without[i];
    std::cout << style.bold(label("needed")) << padded(result.parts[i].name, name_width)
              << (without ? describe_outcome(*without) + " without it" : "not tried without it") << '\n';
  }
}

/// Variables that nobody was seen to ask for are one line.
void print_not_needed(const Bisection& result) {
  const std::string answer = "not seen to be needed: " + describe_outcome(*result.confirmed);
  std::size_t unread = 0;
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    if (result.needed[i]) continue;
    if (result.parts[i].is_unread) {
      ++unread;
      continue;
    }
    std::cout << label("can go") << padded(result.parts[i].name, name_width) << answer << '\n';
  }
  if (unread > 0)
    std::cout << label("can go") << padded(counted(unread, "variable") + " nobody asked for", name_width)
              << answer << '\n';
}

void print_disable_line(const BisectPlan& plan, const Bisection& result) {
  const std::string list = disable_list(plan, result);
  if (!list.empty()) std::cout << label("the rest") << "DETSHIM_DISABLE=" << printable(list) << '\n';
  if (leaves_layout_random(result))
    std::cout << label(list.empty() ? "the rest" : "") << "detshim run --keep-aslr\n";
}

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

std::string describe_kept(const std::vector<UsedPart>& parts, const std::vector<bool>& kept) {
  const auto count = static_cast<std::size_t>(std::ranges::count(kept, true));
  if (count == kept.size()) return "everything";
  if (count == 0) return "nothing";
  std::vector<std::string> names;
  for (const bool is_unread : {false, true})
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i] && parts[i].is_unread == is_unread) names.push_back(printable(parts[i].name));
  return some_of(names);
}

std::string describe_bisection(const Bisection& result) {
  const std::string answer = answer_name(result.answer);
  if (result.answer != Answer::equal) return answer + " - " + printable(result.why);
  return answer + " with " + describe_kept(result.parts, result.needed) + " alone - " +
         counted(result.confirmed->runs, "run");
}

std::string disable_list(const BisectPlan& plan, const Bisection& result) {
  const std::string found = disabled_parts(result.parts, result.needed);
  const bool has_both = !plan.verify.disabled.empty() && !found.empty();
  return plan.verify.disabled + (has_both ? "," : "") + found;
}

bool leaves_layout_random(const Bisection& result) {
  for (std::size_t i = 0; i < result.parts.size(); ++i)
    if (!result.needed[i] && result.parts[i].disables.empty()) return true;
  return false;
}

void print_bisect_text(const BisectPlan& plan, const Bisection& result) {
  const Style style{wants_colour()};
  std::cout << describe_plan(plan.verify);
  for (const Trial& trial : result.trials)
    std::cout << "  runs "
              << padded(std::to_string(trial.first_run) + "-" +
                            std::to_string(trial.first_run + trial.runs - 1),
                        9)
              << padded(describe_outcome(trial), 18) << "  with " << describe_kept(result.parts, trial.kept)
              << '\n';
  std::cout << '\n';
  if (result.confirmed && result.confirmed->is_equal()) {
    print_needed(result, style);
    print_not_needed(result);
    print_disable_line(plan, result);
    std::cout << label("note") << "a hook that was not called changed nothing and was not tried\n";
  }
  std::cout << label("runs") << result.runs << " of at most " << plan.most_runs << "\n\n";
  std::cout << style.bold("verdict: " + describe_bisection(result)) << '\n';
}

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
