#include "verbs/environments.h"

#include "environment/kept_environments.h"
#include "evidence/evidence_file.h"
#include "evidence/learned_seeds.h"
#include "log_diff/run.h"
#include "log_reader/open_file.h"
#include "report/json.h"
#include "support/progress.h"
#include "support/wording.h"
#include "verbs/verbs.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <filesystem>
#include <limits>
#include <map>
#include <ostream>
#include <set>

#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

std::string shown(const std::optional<std::string>& value, std::size_t longest) {
  return value ? cut(printable(*value), longest) : "not there";
}

/// Both values. Of long ones: the words that one has alone or, where there are none, what follows from the
/// first difference on.
std::pair<std::string, std::string> shown_sides(const EnvironmentDifference& one, std::size_t longest) {
  const std::string a = printable(one.a.value_or("")), b = printable(one.b.value_or(""));
  if (!one.a || !one.b || std::max(width(a), width(b)) <= longest)
    return {shown(one.a, longest), shown(one.b, longest)};
  constexpr std::string_view between_words = " :,;";
  const auto words_of = [=](std::string text) {
    std::ranges::replace_if(
        text, [=](char c) { return between_words.find(c) != between_words.npos; }, ' ');
    const std::vector<std::string> words = split(text, ' ');
    return std::set<std::string>(words.begin(), words.end());
  };
  const std::set<std::string> in_a = words_of(a), in_b = words_of(b);
  const auto alone = [longest](const std::set<std::string>& words, const std::set<std::string>& others) {
    std::vector<std::string> result;
    std::ranges::set_difference(words, others, std::back_inserter(result));
    return "has alone: " + (result.empty() ? "nothing" : cut(joined(result, " "), longest));
  };
  if (in_a != in_b) return {alone(in_a, in_b), alone(in_b, in_a)};
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::size_t word = a.find_last_of(between_words, same - 1), from = word == a.npos ? 0 : word;
  return {"…" + cut(a.substr(from), longest), "…" + cut(b.substr(from), longest)};
}

/// What makes two processors alike, where they are not.
void print_switch(std::ostream& out, const EnvironmentComparison& found) {
  if (std::ranges::any_of(found.differences, [](const EnvironmentDifference& one) {
        return one.section == EnvironmentSection::machine &&
               is_any_of(one.subject, {"model name", "instructions", "CPU implementer", "CPU part"});
      }))
    out << "hint: the processors differ; with DETSHIM_PORTABLE=1 libraries take the same code on both\n";
}

const char* section_name(EnvironmentSection section) {
  return environment_section_names[static_cast<std::size_t>(section)].data();
}

/// "HF_TOKEN" of "variable HF_TOKEN".
std::string short_subject(std::string subject) {
  constexpr std::string_view kind = "variable ";
  if (const std::size_t at = subject.find(kind); at != std::string::npos) subject.erase(at, kind.size());
  return subject;
}

const char* why_hidden(const EnvironmentHidden& hidden) {
  return hidden.is_whole ? "a secret's name, or a login in its value" : "secrets in it are hidden";
}

bool is_own(const std::string& file) {
  struct stat state;
  return ::lstat(file.c_str(), &state) == 0 && S_ISREG(state.st_mode) && state.st_uid == ::geteuid() &&
         (state.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// True while more may come: then what is captured is not the last word. A process without an end was killed,
/// or runs: on another machine nobody here can tell.
bool may_still_run(const Log& log) {
  const auto is_there = [](long long process) {
    return process > 0 && process <= INT_MAX && ::kill(static_cast<pid_t>(process), 0) == 0;
  };
  // Of its first process, which may have no log, the run's name has the id: docs/LOG_FORMAT.md.
  const std::size_t id = log.run.find('-');
  if (id != std::string::npos && is_there(std::atoll(log.run.c_str() + id + 1))) return true;
  const std::string here = host_name();
  return std::ranges::any_of(log.processes, [&](const Process& process) {
    if (process.end || was_ended_by_parent(log, process)) return false;
    const std::string node = process.starts.empty() ? "" : process.starts.back().node;
    return is_there(process.pid) || (!node.empty() && node != here);
  });
}

/// Under `places`, what of the run's log had been written when it was looked at: a log only grows.
constexpr const char* log_seen = "log";
std::string size_of_log(const Log& log) {
  std::set<std::string> files;
  for (const Process& process : log.processes) files.insert(process.file);
  std::uint64_t size = 0;
  for (const std::string& file : files)
    if (const OpenFile input(log.folder + "/" + file); input) size += input.size();
  return std::to_string(files.size()) + " files, " + std::to_string(size) + " bytes";
}

bool has_grown(const Environment& environment, const Log& log) {
  const std::string seen = environment.place(log_seen);
  return !seen.empty() && seen != size_of_log(log);
}

/// What one run leaves in files, and the next reads.
void add_carried_state(const Environment& environment, Verdict& verdict) {
  const std::vector<std::string> files = split(environment.place(carried_state), '\n');
  if (files.empty()) return;
  verdict.add({.finding = Finding::state_carried, .names = files, .count = files.size()});
  if (verdict.level < VerdictLevel::unverified) verdict.level = VerdictLevel::unverified;
}

/// True if the log may have grown since; to be sure of it takes reading it.
bool was_written_since(const std::string& folder, const KeptEnvironments& kept) {
  std::int64_t looked = std::numeric_limits<std::int64_t>::max();
  for (const KeptEnvironment& one : kept.all) looked = std::min(looked, last_written(one.file));
  return std::ranges::any_of(record_files(folder), [&](const std::string& file) {
    return last_written(folder + "/" + file) >= looked;
  });
}

} // namespace

std::string name_of(EnvironmentSection section, const std::string& subject) {
  return section_name(section) + (subject.empty() ? "" : ": " + printable(subject));
}

RunEnvironment complete_environment(const Log& log, bool again) {
  RunEnvironment result;
  const KeptEnvironments kept = kept_environments(log.folder, log.run);
  if (!kept.problems.empty()) result.remark = kept.problems.front();
  const std::string here = machine_identity();
  const auto is_here = [&](const KeptEnvironment& one) {
    return was_captured_at_start(one.environment) && one.environment.place("machine") == here;
  };
  auto one = std::ranges::find_if(kept.all, is_here);
  const bool is_elsewhere = one == kept.all.end() && !kept.all.empty();
  if (is_elsewhere) one = kept.all.begin();
  const Environment* start = one == kept.all.end() ? nullptr : &one->environment;
  if (start != nullptr) result.file = one->file;
  // Another's names folders of its own choice: it stays as it is.
  const bool is_ours = start == nullptr || is_own(result.file);
  if (start != nullptr &&
      ((start->is_complete && ((!again && !has_grown(*start, log)) || is_elsewhere)) || !is_ours)) {
    result.why_not_kept = is_ours ? "" : "it is another user's, or others may write to it";
    result.environment = *start;
    result.is_kept = !again;
    return result;
  }
  if (start != nullptr && !was_captured_at_start(*start)) start = nullptr;
  const Progress progress("looking at what the run stood on");
  result.environment = capture_run(log, start);
  result.environment.places[log_seen] = size_of_log(log);
  if (result.file.empty()) result.file = place_to_keep(log.folder, result.environment);
  // Another's folder, or a run that has not said all: found out anew the next time. From elsewhere least of
  // all: the run's own machine would never be asked.
  if (is_elsewhere && start != nullptr) result.why_not_kept = "this is not the machine that the run was on";
  if (!result.why_not_kept.empty() || log.processes.empty() || ::access(log.folder.c_str(), W_OK) != 0 ||
      (!again && may_still_run(log)))
    return result;
  try {
    write_whole(result.file, environment_json(result.environment));
    result.is_kept = true;
  } catch (const UsageError& problem) { // a full disk: it is completed again the next time
    result.why_not_kept = problem.what();
  }
  return result;
}

void weigh_evidence_of(const Log& log, const Environment& environment, Verdict& verdict) {
  std::string file = evidence_file_name;
  std::error_code error;
  // The start record has the folder of the first record: a program may be in another by then.
  if (const std::string folder = environment.place("folder"); std::filesystem::is_directory(folder, error))
    file = folder + '/' + evidence_file_name;
  try {
    add_carried_state(environment, verdict);
    const std::vector<EvidenceEntry> entries = read_evidence(file);
    ProgramState state = state_of(environment);
    if (!entries.empty()) add_seeds(log, state);
    weigh_evidence(entries, state, verdict);
  } catch (const UsageError& problem) {
    spdlog::warn("{}", problem.what());
  }
}

Json run_environment_json(const RunEnvironment& environment) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(environment.file, error);
  Json unknown = Json::array();
  for (std::size_t i = 0; i < environment_sections; ++i)
    for (const auto& [subject, why] : environment.environment.sections[i].unknown)
      unknown.push_back({{"section", environment_section_names[i]}, {"subject", subject}, {"why", why}});
  return {{"file", unless_empty(is_there ? environment.file : "")},
          {"schema_version", environment_schema},
          {"captured_at_start", was_captured_at_start(environment.environment)},
          {"remark", unless_empty(environment.remark)},
          {"unknown", unknown}};
}

std::vector<std::string> changes_since(const Environment& before) {
  constexpr std::size_t longest = 60;
  CaptureOptions options;
  options.program = before.place("program");
  const EnvironmentComparison found = compare_environments(before, capture_environment(options));
  std::vector<std::string> changes;
  for (const EnvironmentDifference& one : found.differences)
    if (one.subject != "git untracked files")
      changes.push_back(name_of(one.section, one.subject) + ": " + shown(one.a, longest) + ", then " +
                        shown(one.b, longest));
  return changes;
}

KeptEnvironments complete_environments(const std::string& place, const std::string& run) {
  const RunPlace named = find_run(place);
  require_readable(named.folder);
  std::filesystem::path folder = named.folder;
  std::error_code error;
  const bool is_folder =
      std::filesystem::is_directory(folder, error) && !std::filesystem::is_regular_file(place, error);
  KeptEnvironments kept = is_folder ? kept_environments(folder, run.empty() ? named.run.value_or("") : run)
                                    : KeptEnvironments{{{place, read_environment_file(place)}}, {}};
  if (!is_folder) folder = std::filesystem::absolute(place, error).parent_path();
  const auto is_complete = [](const KeptEnvironment& one) { return one.environment.is_complete; };
  if (kept.all.empty() ||
      (std::ranges::all_of(kept.all, is_complete) && (!is_folder || !was_written_since(folder, kept))))
    return kept;
  const Log log = read_log(folder, kept.all.front().environment.run);
  if (log.processes.empty()) return kept;
  const RunEnvironment completed = complete_environment(log, false);
  for (KeptEnvironment& one : kept.all)
    if (base_name(one.file) == base_name(completed.file)) one.environment = completed.environment;
  return kept;
}

Facts library_facts(const std::string& folder, const std::string& run) {
  Facts facts;
  const KeptEnvironments kept = complete_environments(folder, run);
  if (kept.all.size() == 1)
    for (const auto& [name, text] : kept.all[0].environment.of(EnvironmentSection::libraries).facts)
      facts[file_subject(name)] = text;
  return facts;
}

RunsCompared compare_run_environments(const std::string& a, const std::string& run_a, const std::string& b,
                                      const std::string& run_b) {
  RunsCompared result;
  const KeptEnvironments in_a = complete_environments(a, run_a), in_b = complete_environments(b, run_b);
  for (const auto& [name, kept] : {std::pair("A", &in_a), std::pair("B", &in_b)}) {
    if (!kept->all.empty() || !result.unknown.empty()) continue;
    result.unknown = kept->problems.empty() ? std::string(name) + " has none" : kept->problems.front();
  }
  if (!result.unknown.empty()) return result;
  // By the machines that have one; where each run has one alone, those are compared whatever their names are.
  const bool is_one = in_a.all.size() == 1 && in_b.all.size() == 1;
  std::map<std::string, std::array<const Environment*, 2>> hosts;
  for (std::size_t side = 0; side < 2; ++side)
    for (const KeptEnvironment& one : (side == 0 ? in_a : in_b).all)
      hosts[is_one ? "" : one.environment.host + ", "][side] = &one.environment;
  for (const auto& [host, sides] : hosts) {
    EnvironmentComparison found;
    if (sides[0] != nullptr && sides[1] != nullptr)
      found = compare_environments(*sides[0], *sides[1]);
    else
      found.unknown.push_back({EnvironmentSection::machine, "all of it",
                               sides[0] != nullptr ? "" : "that machine has none",
                               sides[1] != nullptr ? "" : "that machine has none"});
    const auto move = [&host = host](auto& from, auto& to) {
      for (auto& each : from) {
        each.subject.insert(0, host);
        to.push_back(std::move(each));
      }
    };
    move(found.differences, result.comparison.differences);
    move(found.unknown, result.comparison.unknown);
    move(found.hidden, result.comparison.hidden);
    result.comparison.same += found.same;
  }
  std::ranges::stable_sort(result.comparison.differences, {}, &EnvironmentDifference::section);
  return result;
}

void print_environments(std::ostream& out, const RunsCompared& compared, const std::string& a,
                        const std::string& b, Style style) {
  if (!compared.unknown.empty()) {
    out << "environments: unknown: " << compared.unknown << '\n';
    return;
  }
  constexpr std::size_t most = 4, longest = 70;
  const EnvironmentComparison& found = compared.comparison;
  if (found.differences.empty() && found.unknown.empty()) return;
  if (found.differences.empty())
    out << "environments: no difference";
  else
    out << style.bold("environments differ")
        << ", which may be why: " << counted(found.differences.size(), "difference");
  if (!found.unknown.empty()) out << ", " << counted(found.unknown.size(), "thing") << " not known";
  out << '\n';
  for (std::size_t i = 0; i < std::min(most, found.differences.size()); ++i) {
    const EnvironmentDifference& one = found.differences[i];
    const auto [in_a, in_b] = shown_sides(one, longest);
    out << "  " << name_of(one.section, one.subject) << ": " << in_a << " | " << in_b << '\n';
  }
  print_switch(out, found);
  const std::size_t more = found.differences.size() - std::min(most, found.differences.size());
  if (more > 0) out << "  and " << more << " more";
  if (more > 0 || !found.unknown.empty())
    out << (more > 0 ? ": " : "  ") << "detshim env diff " << printable(find_run(a).folder) << ' '
        << printable(find_run(b).folder) << '\n';
}

void print_comparison(std::ostream& out, const EnvironmentComparison& comparison, Style style) {
  constexpr std::size_t longest = 200;
  std::optional<EnvironmentSection> section;
  for (const EnvironmentDifference& one : comparison.differences) {
    if (section != one.section) out << style.bold(section_name(one.section)) << '\n';
    section = one.section;
    const auto [in_a, in_b] = shown_sides(one, longest);
    out << "  " << printable(one.subject) << "\n    A " << in_a << "\n    B " << in_b << '\n';
  }
  print_switch(out, comparison);
  if (!comparison.unknown.empty()) out << style.bold("not known") << '\n';
  for (const EnvironmentUnknown& one : comparison.unknown) {
    out << "  " << name_of(one.section, one.subject);
    if (!one.why_in_a.empty()) out << "; in A " << printable(one.why_in_a);
    if (!one.why_in_b.empty()) out << "; in B " << printable(one.why_in_b);
    out << '\n';
  }
  if (!comparison.hidden.empty()) {
    out << "not compared: ";
    for (const EnvironmentHidden& one : comparison.hidden)
      out << (&one == comparison.hidden.data() ? "" : ", ") << printable(short_subject(one.subject)) << " ("
          << why_hidden(one) << ')';
    out << '\n';
  }
  out << (comparison.differences.empty()
              ? comparison.unknown.empty() ? "equal" : "not known"
              : "different: " + counted(comparison.differences.size(), "difference"))
      << "; " << counted(comparison.same, "fact") << " the same\n";
}

Json comparison_json(const EnvironmentComparison& comparison) {
  const auto difference = [](const EnvironmentDifference& one) -> Json {
    return {{"section", section_name(one.section)}, {"subject", one.subject}, {"a", one.a}, {"b", one.b}};
  };
  const auto hidden = [](const EnvironmentHidden& one) -> Json {
    return {{"section", section_name(one.section)}, {"subject", one.subject}, {"why", why_hidden(one)}};
  };
  const auto unknown = [](const EnvironmentUnknown& one) -> Json {
    return {{"section", section_name(one.section)},
            {"subject", one.subject},
            {"why_in_a", unless_empty(one.why_in_a)},
            {"why_in_b", unless_empty(one.why_in_b)}};
  };
  return {{"schema_version", 1},
          {"result", !comparison.differences.empty() ? "different"
                     : comparison.unknown.empty()    ? "equal"
                                                     : "unknown"},
          {"same", comparison.same},
          {"differences", json_list(comparison.differences, difference)},
          {"not_compared", json_list(comparison.hidden, hidden)},
          {"unknown", json_list(comparison.unknown, unknown)}};
}

} // namespace detshim
