// Decides what the logs of runs add to their comparison: whether a log rules equality out, and
// where two runs that differ went apart.
//
// A log rules equality out if it says that something definite went ahead nondeterministic, or does
// not say all that was done. Everything else that it leaves open is what the comparison answers.
// The first cause is the first record that differs. Where all records agree, or only the hash of an
// output differs, suspects follow: what leaves no record of its result, and what the perturbation
// can have turned.
//
// It cannot know of what no hook sees. A suspect is a guess, and no verdict follows from one.
#include "verify/run_logs.h"

#include "log_diff/causes.h"
#include "log_diff/difference_report.h"
#include "log_diff/log_diff.h"
#include "log_diff/record_roles.h"
#include "log_reader/library_code.h"
#include "log_reader/log.h"
#include "log_reader/python_files.h"
#include "report/log_report.h"
#include "report/verdict_texts.h"
#include "scanner/elf_file.h"
#include "scanner/preloading.h"
#include "support/exit_status.h"
#include "support/lists.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verdict/shown_times.h"
#include "verdict/verdict.h"
#include "verify/perturbations.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace detshim {
namespace {

void add_processes(const Log& log, std::map<std::int64_t, std::string>& processes) {
  for (const Process& process : log.processes)
    processes.emplace(process.pid, "rank " + std::to_string(process.rank) + ", " + process.path);
}

void judge_run(Log log, const std::vector<std::string>& accepted, LogVerdict& result) {
  add_processes(log, result.processes);
  if (log.processes.empty() && !log.is_incomplete() && log.missing_root == 0)
    return;
  const Verdict verdict = JudgedLog(std::move(log), Decode::own_code, accepted).verdict;
  result.is_there = true;
  for (const auto* reasons : {&verdict.reasons, &verdict.accepted})
    for (const VerdictReason& reason : *reasons)
      result.add_what_can_differ(reason);
  if (verdict.lacks_draws_alone())
    return;
  if (result.level.empty() || !verdict.passes_check())
    result.level = level_name(verdict.level);
  result.passes &= verdict.passes_if_equal();
  for (const VerdictReason& reason : verdict.reasons)
    result.reasons.push_back(std::string(reason.kind()) + ": " + reason_text(reason));
  if (verdict.has_refused)
    result.reasons.emplace_back("refused: calls failed on purpose, in mode strict");
}

/// Empty for a run that left none.
std::string log_folder(const Run& run, const LogVerdict& log) {
  return log.is_there ? run.log().string() : "";
}

/// "the verdict of both logs is partial - kernels: ...".
std::string describe_verdicts(const LogVerdict& one, const LogVerdict& other) {
  const LogVerdict& worse = one.passes ? other : one;
  if (worse.level.empty())
    return "nothing was drawn";
  std::string text =
      (one.level == other.level ? "the verdict of both logs is " : "the logs' verdict is ") +
      printable(worse.level);
  if (!worse.reasons.empty())
    text += " - " + printable(worse.reasons.front());
  return text;
}

/// The suspects that this perturbation can affect. Without a perturbation: all but folders, whose
/// listing is sorted.
std::vector<Suspect> suspects_under(const Perturbation* perturbation, const FirstCause& cause) {
  using enum SuspectKind;
  static const std::vector<SuspectKind> without_perturbation = {
      variable, nondeterministic, threads, forks, clock, input};
  const auto& kinds = perturbation == nullptr ? without_perturbation : perturbation->suspects;
  std::vector<Suspect> suspects = find_suspects({cause.log, {}}, {cause.other_log, {}});
  std::erase_if(suspects, [&](const Suspect& suspect) {
    return !contains(kinds, suspect.kind);
  });
  return suspects;
}

void add_suspects_under(const Perturbation* perturbation, const LogVerdict& log,
                        FirstCause& cause) {
  cause.suspects = suspects_under(perturbation, cause);
  if (contains(cause.suspects, SuspectKind::clock, &Suspect::kind))
    cause.clock_lines = log.clock_lines;
}

/// What a perturbation shows by itself, whatever the logs hold.
void add_what_perturbation_shows(const Perturbation* perturbation, std::vector<Suspect>& suspects) {
  if (perturbation != nullptr && perturbation->shown)
    suspects.insert(suspects.begin(), *perturbation->shown);
}

void compare(const LogVerdict& one, const LogVerdict& other, const Perturbation* perturbation,
             FirstCause& cause) {
  static const std::set<std::string> none;
  try {
    cause.difference = compare_logs(cause.log, cause.other_log,
                                    perturbation == nullptr ? none : perturbation->settings);
  } catch (const UsageError& error) {
    cause.text = "the logs cannot be compared: " + printable(error.what());
    return;
  }
  if (const Cause* const first = cause.difference->first_cause(); first != nullptr) {
    if (!is_digest_of_host(*first))
      return;
    // An output's hash differs, and no record before it: what leaves no record made the difference.
    cause.text = describe_verdicts(one, other);
    add_suspects_under(perturbation, one, cause);
    return;
  }
  const bool are_equal = cause.difference->result() == LogDifference::Result::equal;
  cause.text = "the logs agree in " + counted(cause.difference->identical, "record");
  if (!are_equal && !cause.difference->unknown.empty())
    cause.text += ", and do not hold all (" + cause.difference->unknown.front() + ")";
  cause.text += ": what differed is in no record; " + describe_verdicts(one, other);
  add_suspects_under(perturbation, one, cause);
}

/// The likeliest few.
void add_suspects(const std::vector<Suspect>& suspects, std::vector<std::string>& lines) {
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < std::min(most, suspects.size()); ++i)
    lines.push_back((i == 0 ? "it may be  " : "or         ") + suspects[i].text);
  if (suspects.size() > most)
    lines.push_back("or         " + counted(suspects.size() - most, "other place") +
                    ": see --json");
}

/// Its hash, and that of what went in where it is known.
std::string content_of(const std::optional<RecordDifference::Side>& side) {
  if (!side)
    return "no such output";
  const std::string* const digest = find_field(side->call.fields, "digest");
  const std::string* const in = find_field(side->call.fields, "in");
  return (digest != nullptr ? *digest : "not read") + (in != nullptr ? " of " + *in : "");
}

} // namespace

void LogVerdict::add_what_can_differ(const VerdictReason& reason) {
  if (reason.finding == Finding::clock_read) {
    reads_clock = true;
    for (const std::string& line : reason.names)
      add_once(clock_lines, line);
  }
  has_open_seeds |= reason.finding == Finding::seed_unexplained;
  can_race |= row_of(reason.finding).settled != Settled::by_two_runs;
  for (std::string& key : keys_of(reason))
    can_differ.insert(std::move(key));
}

LogVerdict judge_log(const std::string& folder, const std::vector<std::string>& accepted) {
  LogVerdict result;
  Log newest = read_log(folder);
  const std::vector<std::string> others = newest.other_runs;
  judge_run(std::move(newest), accepted, result);
  for (const std::string& run : others)
    judge_run(read_log(folder, run), accepted, result);
  return result;
}

namespace {

void add_facts(const Log& log, LoggedFacts& facts) {
  add_processes(log, facts.processes);
  for (const Process& process : log.processes) {
    facts.reads_clocks |= contains(process.user_places, RecordType::clock, &UserPlace::kind);
    facts.may_show_times |= std::ranges::any_of(process.starts, [](const Start& start) {
      return is_library_file(start.program) || below_packages(start.program) != "" ||
             base_name(start.program).starts_with("python");
    });
  }
  const std::vector<std::string> formats = find_shown_formats(log);
  facts.shown_formats.insert(facts.shown_formats.end(), formats.begin(), formats.end());
}

} // namespace

LoggedFacts logged_facts(const std::string& folder) {
  LoggedFacts facts;
  const Log newest = read_log(folder);
  add_facts(newest, facts);
  for (const std::string& run : newest.other_runs)
    add_facts(read_log(folder, run), facts);
  return facts;
}

bool is_out_of_reach(const std::string& program) {
  try {
    return ElfFile(find_executable(program)).is_static_program();
  } catch (const ElfError&) {
    return false; // a script: its interpreter is what runs
  }
}

std::string FirstCause::place() const {
  return is_found() ? name_of(*difference->first_cause()) : std::string();
}

std::string FirstCause::option() const {
  return clock_lines.empty() ? "" : "--freeze " + shell_command({joined(clock_lines, ",")});
}

std::string FirstCause::command() const {
  if (log.empty() || other_log.empty())
    return {};
  return "detshim log diff " + shell_command({log, other_log});
}

std::optional<FirstCause> find_first_cause(const std::vector<Comparison>& comparisons,
                                           const std::vector<Run>& runs,
                                           const std::vector<LogVerdict>& logs) {
  for (const Comparison& comparison : comparisons) {
    if (comparison.differences.empty())
      continue;
    FirstCause cause;
    cause.one = comparison.one;
    cause.other = comparison.other;
    if (comparison.is_resumed) {
      cause.text =
          "the logs were not compared: a run in two parts has other records than a whole one";
      return cause;
    }
    const LogVerdict& log = logs.front();
    const LogVerdict& other_log = logs[comparison.other_index];
    cause.log = log_folder(runs.front(), log);
    cause.other_log = log_folder(runs[comparison.other_index], other_log);
    if (cause.log.empty() && cause.other_log.empty())
      cause.text = "neither run left a log: no hook saw what differed";
    else if (cause.log.empty() || cause.other_log.empty())
      cause.text = "only " + (cause.log.empty() ? cause.other : cause.one) +
                   " left a log: the other made no call that is recorded";
    else
      compare(log, other_log, comparison.perturbation, cause);
    if (!cause.text.empty())
      add_what_perturbation_shows(comparison.perturbation, cause.suspects);
    return cause;
  }
  return std::nullopt;
}

std::vector<std::string> describe_first_cause(const FirstCause& cause, Style style) {
  std::vector<std::string> lines;
  if (cause.is_found()) {
    std::ostringstream text;
    print_leading_cause(text, *cause.difference, style);
    lines = split(text.str(), '\n');
  }
  if (!cause.text.empty())
    lines.push_back(cause.text);
  add_suspects(cause.suspects, lines);
  if (const std::string option = cause.option(); !option.empty())
    lines.push_back("try it:    with " + option + " these clocks stand still");
  if (const std::string command = cause.command(); !command.empty())
    lines.push_back("all of it: " + command);
  return lines;
}

bool are_fingerprinted() {
  const std::string requested = variable("DETSHIM_FINGERPRINT");
  return requested == "host" || requested == "calls";
}

void compare_fingerprints(const std::string& log, const std::string& other_log,
                          Comparison& result) {
  const LogDifference difference = compare_logs(log, other_log);
  for (const std::string& what : difference.unread)
    result.remarks.push_back("fingerprints: " + what);
  const RecordDifference* first = nullptr;
  std::size_t kept = 0, of_gpu = 0;
  for (const RecordDifference& record : difference.records) {
    if (record.section != Section::digests)
      continue;
    ++kept;
    if (is_of_host(record.call()))
      continue;
    // After other draws the same content: nothing of it differs.
    if (record.a && record.b && content_of(record.a) == content_of(record.b))
      continue;
    ++of_gpu;
    if (first == nullptr)
      first = &record;
  }
  if (first != nullptr) {
    ComparedItem item{ItemKind::fingerprint, "", counted(of_gpu, "different output"), false};
    result.differences.push_back(
        {item, {name_of(*first), content_of(first->a), content_of(first->b)}});
    result.items.push_back(std::move(item));
  } else if (difference.differences[static_cast<int>(Section::digests)] > kept) {
    result.uncompared.push_back("more outputs differ than are looked at: " +
                                counted(kept, "output") + " of the program's own came first");
  }
}

} // namespace detshim
