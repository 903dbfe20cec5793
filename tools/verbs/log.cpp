// detshim log: what a log folder holds, worst first.
#include "report/json.h"
#include "report/log_report.h"
#include "report/verdict_texts.h"
#include "support/files.h"
#include "support/wording.h"
#include "verbs/acceptance.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"

#include "support/variable.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace detshim {
namespace {

bool is_empty(const Log& log) {
  return std::ranges::none_of(log.processes, &Process::holds_a_record) && log.missing_root == 0;
}

/// Says in one line why there is nothing to print.
[[noreturn]] void nothing_to_read(const Log& log, const LogOptions& options) {
  const std::string folder = in_quotes(log.folder);
  if (options.run && !log.other_runs.empty())
    throw UsageError("no run " + in_quotes(*options.run) + " in " + folder +
                     "; the newest there is " + printable(log.other_runs.front()));
  if (!log.other_format_files.empty())
    throw UsageError("the log in " + folder + ' ' + log.other_format_files.front().text());
  std::error_code error;
  const std::string file = log.unreadable_files.empty() ? "" : '/' + log.unreadable_files.front();
  std::string why = why_unreadable(log.folder + file);
  if (why.empty() && !std::filesystem::is_directory(log.folder, error))
    why = std::strerror(ENOTDIR);
  if (!log.files.empty())
    throw UsageError("no readable record in " + folder + (why.empty() ? "" : ": " + why));
  if (!why.empty())
    throw UsageError("no log in " + folder + ": " + why + "; `detshim run -- program` makes one");
  throw UsageError("no log in " + folder +
                   ": a program run by `detshim run -- program`, or with LD_PRELOAD=$(detshim "
                   "--lib), makes one as soon "
                   "as there is something to record; what draws by instructions of the processor "
                   "or by system calls of "
                   "its own leaves no trace there: `detshim scan program` finds it");
}

Decode decode_of(const LogOptions& options) {
  if (options.no_scan)
    return Decode::nothing;
  return options.all || options.json ? Decode::everything : Decode::own_code;
}

/// `--check` without `--run`: the other runs in the folder are judged as well, each in a line. A
/// job whose ranks did not find each other has several.
bool others_pass(const Log& log, const LogOptions& options,
                 const std::vector<std::string>& accepted) {
  bool all_pass = true;
  std::ostream& out = options.json ? std::cerr : std::cout;
  if (!log.other_runs.empty())
    out << "\nother runs in this folder (--run NAME judges one alone):\n";
  for (const std::string& run : log.other_runs) {
    Log read = read_log(log.folder, run);
    if (is_empty(read))
      continue;
    BesidesLog besides;
    if (!options.no_scan)
      besides = besides_log(read, complete_environment(read, false).environment);
    const JudgedLog judged(std::move(read), decode_of(options), accepted, besides);
    const Verdict& verdict = judged.verdict;
    all_pass &= verdict.passes_check();
    out << "  " << printable(run) << ": " << level_name(verdict.level);
    if (!verdict.reasons.empty())
      out << " - " << verdict.reasons.front().kind() << ": "
          << printable(reason_text(verdict.reasons.front()));
    out << '\n';
  }
  return all_pass;
}

} // namespace

int log(const LogOptions& options) {
  const std::vector<std::string> accepted = accepted_reasons(options.accepted);
  Log read = read_log(options.folder.value_or(default_log_folder), options.run);
  if (is_empty(read))
    nothing_to_read(read, options);
  // Not looked for where nothing is to be looked into.
  std::optional<RunEnvironment> environment;
  if (!options.no_scan)
    environment = complete_environment(read, false);
  const BesidesLog besides =
      environment ? besides_log(read, environment->environment) : BesidesLog();
  const JudgedLog judged(std::move(read), decode_of(options), accepted, besides);
  if (options.json) {
    Json document = log_json(judged, options.all);
    document["run_environment"] = environment ? run_environment_json(*environment) : Json();
    print_json(std::cout, document);
  } else {
    if (environment && !environment->remark.empty())
      std::cout << "environment: " << environment->remark << '\n';
    print_log_text(std::cout, judged, options.all, {wants_colour(), terminal_columns()});
  }
  if (!options.check)
    return done;
  const bool passes = options.run || others_pass(judged.log, options, accepted);
  return passes && judged.verdict.passes_check() ? done : check_failed;
}

int run_and_check(const RunOptions& options) {
  if (!options.check)
    return run(options);
  if (std::getenv("DETSHIM_RUN") != nullptr)
    throw UsageError("--check is not accepted within a run: it judges a whole one");
  const pid_t program = ::fork();
  if (program < 0)
    throw UsageError(std::string("cannot start a process: ") + std::strerror(errno));
  if (program == 0)
    return ::prctl(PR_SET_PDEATHSIG, SIGTERM), run(options);
  for (const int of_terminal : {SIGINT, SIGQUIT})
    ::signal(of_terminal, SIG_IGN); // the program has them too
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {}
  const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const std::string named = options.log.value_or(variable("DETSHIM_LOG"));
  std::vector<std::string> runs;
  std::error_code error;
  if (named.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator("detshim-log", error))
      runs.push_back(entry.path().filename());
  } else {
    const Log log = read_log(named);
    runs = log.other_runs;
    runs.push_back(log.run);
  }
  // The name of a run has the id of its first process: docs/LOG_FORMAT.md.
  const std::string own = "-" + std::to_string(program) + "-";
  std::erase_if(runs, [&](const std::string& run) {
    return run.find(own) == std::string::npos;
  });
  if (runs.empty()) {
    spdlog::error("this run left no log: libdetshim.so did not come up in it");
    return ended != 0 ? ended : check_failed;
  }
  LogOptions judged;
  judged.check = true;
  judged.run = std::ranges::max(runs);
  judged.folder = named.empty() ? "detshim-log/" + *judged.run : named;
  ::dup2(STDERR_FILENO, STDOUT_FILENO); // standard output is the program's
  const int judgement = log(judged);
  return ended != 0 ? ended : judgement;
}

} // namespace detshim
