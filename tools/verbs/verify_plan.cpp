#include "verbs/verify_plan.h"

#include "run/library_file.h"
#include "scanner/preloading.h"
#include "support/files.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verbs/acceptance.h"
#include "verbs/time_option.h"
#include "verify/output_claim.h"
#include "verify/output_search.h"
#include "verify/perturbations.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace detshim {
namespace {

/// Hours of runs come before it is.
void check_can_be_written(const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::path(file).parent_path();
  const fs::path& place = fs::exists(file, error) ? fs::path(file)
                          : folder.empty()        ? fs::path(".")
                                                  : folder;
  const bool is_folder = fs::is_directory(file, error);
  if (is_folder || ::access(place.c_str(), W_OK) != 0)
    throw UsageError("cannot write " + in_quotes(file) + ": " +
                     std::strerror(is_folder ? EISDIR : errno));
}

/// What is written into an output in the end would be over the user's file.
void check_reports(const VerifyOptions& options) {
  if (options.outputs.empty())
    return;
  const OutputSearch search(options.outputs, "/nothing/of/it/is/our/own");
  const FoundOutputs outputs = search.find();
  const auto check = [&](const std::string& what, const fs::path& file) {
    std::error_code error;
    const bool is_found = fs::is_regular_file(file, error) &&
                          std::ranges::any_of(outputs.files, [&](const FoundOutputs::File& output) {
                            return fs::equivalent(output.path, file, error);
                          });
    if (is_found || search.would_find(fs::weakly_canonical(fs::absolute(file), error)))
      throw UsageError(what + " is one of the outputs that --output names: name another file");
  };
  if (options.junit)
    check("--junit " + in_quotes(*options.junit), *options.junit);
  if (options.sarif)
    check("--sarif " + in_quotes(*options.sarif), *options.sarif);
  if (options.markdown)
    check("--markdown " + in_quotes(*options.markdown), *options.markdown);
  check("standard output", "/proc/self/fd/1");
  check("standard error", "/proc/self/fd/2");
}

/// The program's file has to be there before anything is moved.
void check_program(const std::string& program) {
  std::error_code error;
  const bool is_there = program.find('/') != program.npos && fs::exists(program, error);
  if (find_executable(program).empty())
    throw UsageError("cannot run " + in_quotes(program) + ": " +
                     std::strerror(is_there ? EACCES : ENOENT) + hint_for(program));
  if (input_waits())
    throw UsageError(waiting_input);
}

std::vector<Pattern> patterns(const std::vector<std::string>& texts, const char* option) {
  std::vector<Pattern> result;
  result.reserve(texts.size());
  for (const std::string& text : texts)
    result.emplace_back(text, option);
  return result;
}

RunEnd line_to_kill_after(const std::string& text) {
  constexpr std::string_view begin = "kill after ";
  if (!text.starts_with(begin) || text.size() == begin.size())
    throw UsageError("--resume " + in_quotes(text) + " is not accepted: 'kill after REGEX'");
  return RunEnd::at_line({text.substr(begin.size()), "--resume"});
}

ComparisonRules rules_of(const VerifyOptions& options) {
  ComparisonRules rules;
  rules.outputs = options.outputs;
  rules.metrics = patterns(options.metrics, "--metric");
  for (const Pattern& pattern : rules.metrics)
    if (pattern.groups() != 1)
      throw UsageError("--metric " + in_quotes(pattern.text()) +
                       " is not accepted: it needs one group, for the number: 'loss=(\\S+)'");
  rules.tolerance = {options.relative_tolerance, options.absolute_tolerance};
  rules.declared_volatile = patterns(options.volatile_text, "--volatile");
  const auto ignores = [&](const char* stream) {
    return std::ranges::count(options.ignored, stream) > 0;
  };
  rules.ignores_out = ignores("stdout");
  rules.ignores_err = ignores("stderr");
  for (const std::string& glob : options.ignored)
    rules.ignored_files.push_back(fs::absolute(glob));
  return rules;
}

/// detshim-log/verify-20261122T141247-4711, unless one was asked for, which must be new.
fs::path make_folder(const std::optional<std::string>& asked_for) {
  const std::string name =
      moment_text(std::time(nullptr), "verify-%Y%m%dT%H%M%S-") + std::to_string(::getpid());
  fs::path folder = fs::absolute(asked_for ? fs::path(*asked_for) : fs::path("detshim-log") / name);
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error)) && !fs::is_empty(folder, error))
    throw UsageError("--log " + in_quotes(folder.string()) +
                     " is not accepted: a folder that is new or empty");
  fs::create_directories(folder, error);
  if (!error)
    fs::permissions(folder, fs::perms::owner_all, error);
  if (error)
    throw UsageError("cannot make the folder " + in_quotes(folder.string()) + ": " +
                     error.message());
  return fs::canonical(folder); // outputs are moved along no links
}

/// Of each run; the option was checked before.
Mode mode_of(const RunOptions& run) {
  const std::string name = run.mode.value_or(variable("DETSHIM_MODE", mode_name(Mode::enforce)));
  const auto* const found = std::ranges::find(mode_names, name);
  if (found == std::end(mode_names))
    throw UsageError("DETSHIM_MODE=" + in_quotes(name) + " is not accepted: " + one_of(mode_names));
  return static_cast<Mode>(found - std::begin(mode_names));
}

} // namespace

SetAside::Found restore_outputs(const VerifyOptions& options) {
  std::error_code error;
  const fs::path log = options.run.log.value_or("detshim-log/new");
  return OutputClaim::recover(options.outputs,
                              fs::weakly_canonical(fs::absolute(log) / "..", error));
}

namespace {

void check_ends(const VerifyOptions& options) {
  const char* const end = options.until ? "--until" : "--first";
  if (options.until && options.first)
    throw UsageError("--until and --first are not accepted together: a run has one end");
  if ((options.until || options.first) && (options.resume || !options.outputs.empty()))
    throw UsageError(std::string(end) +
                     " is not accepted with --output and --resume: what a run writes is not whole "
                     "where it is ended at a line");
  if (options.budget && options.runs)
    throw UsageError("--budget and --runs are not accepted together: both say how many runs");
}

/// The plan's `until`.
std::optional<RunEnd> end_of_runs(const VerifyOptions& options, const ComparisonRules& rules) {
  if (options.until)
    return RunEnd::at_line({*options.until, "--until"});
  if (!options.first)
    return std::nullopt;
  if (rules.metrics.empty())
    return RunEnd::at_value(*options.first, std::nullopt);
  return RunEnd::at_value(*options.first, rules.metrics.front());
}

} // namespace

void check_verify(const VerifyOptions& options) {
  restore_outputs(options); // before all else: the program, and the user, look for what is missing
  check_run(options.run);
  if ((options.relative_tolerance > 0 || options.absolute_tolerance > 0) && options.metrics.empty())
    throw UsageError("--rtol and --atol are for metrics: --metric REGEX is missing");
  check_ends(options);
  for (const std::string& output : options.outputs) {
    if (output.starts_with('-')) // an option, or the -- before the program
      throw UsageError("--output " + in_quotes(output) + " is not accepted: its GLOB is missing (" +
                       printable("./" + output) + " for a file of that name)");
    if (output.empty() || ("/" + output + "/").find("/**/") != std::string::npos)
      throw UsageError(
          "--output " + in_quotes(output) +
          " is not accepted: a glob, where ** is no more than *, or a folder, which means "
          "all that is below it");
  }
  for (const std::optional<std::string>& report : {options.junit, options.sarif, options.markdown})
    if (report)
      check_can_be_written(*report);
  check_reports(options);
  find_library(options.run.library);
}

VerifyPlan plan_verification(const VerifyOptions& options) {
  VerifyPlan plan;
  RunOptions run = options.run;
  if (!run.seed)
    run.seed = variable("DETSHIM_SEED", default_seed);
  plan.command = run.command;
  plan.seed = *run.seed;
  plan.mode = mode_of(run);
  plan.runs = options.runs;
  plan.timeout_s = options.timeout_s;
  plan.has_fresh_cache = options.fresh_cache;
  plan.has_control = options.control;
  if (options.perturb)
    plan.perturbations = choose_perturbations(*options.perturb);
  if (options.budget)
    plan.budget_s = seconds_of("--budget", *options.budget);
  if (options.resume)
    plan.kill_after = line_to_kill_after(*options.resume);
  plan.rules = rules_of(options);
  plan.until = end_of_runs(options, plan.rules);
  plan.accepted = accepted_reasons(options.accepted);
  plan.disabled = run.disable.value_or(variable("DETSHIM_DISABLE", ""));
  plan.run = run;
  check_program(run.command.front());
  plan.folder = make_folder(options.run.log);
  return plan;
}

VerifyStatus status_of(Answer answer) {
  return answer == Answer::equal       ? verified_equal
         : answer == Answer::different ? verified_different
                                       : verified_nothing;
}

int end_as_interrupted(const Interrupted& interrupted, const VerifyPlan& plan) {
  spdlog::warn("interrupted; the outputs are as they were, what the runs left is in {}",
               in_quotes(plan.folder.string()));
  ::signal(interrupted.signal, SIG_DFL);
  ::raise(interrupted.signal);
  return verified_nothing;
}

} // namespace detshim
