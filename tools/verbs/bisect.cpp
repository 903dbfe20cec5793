// detshim bisect: which hooks and settings a program needs to be repeatable.
#include "bisect/bisect.h"
#include "run/library_file.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verbs/verbs.h"
#include "verbs/verify_plan.h"

#include <cstdio>
#include <iostream>

namespace detshim {
namespace {

void check(const BisectOptions& options) {
  check_verify(options.verify);
  if (options.most_runs < *options.verify.runs)
    throw UsageError("--most-runs '" + std::to_string(options.most_runs) +
                     "' is not accepted: a number of runs from that of -n to 100000");
  const std::string mode = options.verify.run.mode.value_or(variable("DETSHIM_MODE", "enforce"));
  if (mode == "observe" || mode == "off")
    throw UsageError("bisect needs a mode that changes something: --mode enforce");
}

/// Those that the library sets, in that mode.
std::vector<std::string> variables_of(const std::string& library, const std::string& mode) {
  std::vector<std::string> names;
  for (const SettingDescription& setting : read_settings(library))
    if (setting.treatment != Treatment::note && (setting.treatment != Treatment::strict || mode == "strict"))
      names.push_back(setting.name);
  return names;
}

/// Words that differ where trials could be answered otherwise.
std::vector<std::string> compared_by(const VerifyOptions& options) {
  std::vector<std::string> words = {options.run.policy.value_or(""), options.run.disable.value_or(""),
                                    std::to_string(options.relative_tolerance),
                                    std::to_string(options.absolute_tolerance)};
  for (const auto* list :
       {&options.outputs, &options.metrics, &options.volatile_text, &options.ignored, &options.run.freeze}) {
    words.emplace_back("-"); // where one list ends
    words.insert(words.end(), list->begin(), list->end());
  }
  return words;
}

void say(const std::string& line) { std::fprintf(stderr, "detshim: %s\n", line.c_str()); }

void say_begun(const Bisection& so_far, const std::vector<bool>& kept, std::size_t runs, std::size_t most) {
  const std::string first = std::to_string(so_far.runs + 1), last = std::to_string(so_far.runs + runs);
  const double each = so_far.runs == 0 ? 0 : so_far.seconds / static_cast<double>(so_far.runs);
  const auto left = static_cast<long>(each * static_cast<double>(most - so_far.runs));
  say("runs " + first + "-" + last + ": with " +
      (kept.empty() ? "everything" : describe_kept(so_far.parts, kept)) +
      (so_far.runs == 0 ? "" : "; at most " + std::to_string(left) + " s are left"));
}

void say_ended(const Bisection&, const Trial& trial) {
  say(trial.is_equal() ? "  equal" : trial.differing > 0 ? "  different" : "  no equal runs");
}

} // namespace

int bisect(const BisectOptions& options) {
  check(options);
  BisectPlan plan;
  plan.verify = plan_verification(options.verify, "bisect");
  plan.variables = variables_of(find_library(options.verify.run.library), plan.verify.mode);
  plan.most_runs = options.most_runs;
  plan.compared = compared_by(options.verify);
  // What differs in one run of four, and was equal by chance, shows with 99 %.
  constexpr std::size_t times = 5;
  plan.confirming_runs = times * *options.verify.runs;
  try {
    const Bisection result = bisect_program(plan, {say_begun, say_ended});
    if (options.verify.json) {
      print_bisect_json(plan, result, std::cout);
    } else {
      print_bisect_text(plan, result);
    }
    return status_of(result.answer);
  } catch (const Interrupted& interrupted) {
    say("the same command with --log " + in_quotes(plan.verify.folder.string()) + " goes on with the search");
    return end_as_interrupted(interrupted, plan.verify);
  }
}

} // namespace detshim
