#include "bisect/bisect.h"
#include "log_reader/printable.h"
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

} // namespace detshim
