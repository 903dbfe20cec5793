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

/// Both values. Of long ones: the words that one has alone or, where there are none, what follows
/// from the first difference on.
std::pair<std::string, std::string> shown_sides(const EnvironmentDifference& difference,
                                                std::size_t longest) {
  const std::string a = printable(difference.a.value_or("")),
                    b = printable(difference.b.value_or(""));
  if (!difference.a || !difference.b || std::max(width(a), width(b)) <= longest)
    return {shown(difference.a, longest), shown(difference.b, longest)};
  constexpr std::string_view between_words = " :,;";
  const auto words_of = [=](std::string text) {
    std::ranges::replace_if(
        text,
        [=](char c) {
          return between_words.find(c) != between_words.npos;
        },
        ' ');
    const std::vector<std::string> words = split(text, ' ');
    return std::set<std::string>(words.begin(), words.end());
  };
  const std::set<std::string> in_a = words_of(a), in_b = words_of(b);
  const auto alone = [longest](const std::set<std::string>& words,
                               const std::set<std::string>& others) {
    std::vector<std::string> result;
    std::ranges::set_difference(words, others, std::back_inserter(result));
    return "has alone: " + (result.empty() ? "nothing" : cut(joined(result, " "), longest));
  };
  if (in_a != in_b)
    return {alone(in_a, in_b), alone(in_b, in_a)};
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::size_t word = a.find_last_of(between_words, same - 1),
                    from = word == a.npos ? 0 : word;
  return {"…" + cut(a.substr(from), longest), "…" + cut(b.substr(from), longest)};
}

/// What makes two processors alike, where they are not.
void print_switch(std::ostream& out, const EnvironmentComparison& comparison) {
  if (std::ranges::any_of(comparison.differences, [](const EnvironmentDifference& difference) {
        return difference.section == EnvironmentSection::machine &&
               is_any_of(difference.subject.name,
                         {"model name", "instructions", "CPU implementer", "CPU part"});
      }))
    out << "hint: the processors differ; with DETSHIM_PORTABLE=1 libraries take the same code on "
           "both\n";
}

const char* section_name(EnvironmentSection section) {
  return environment_section_names[static_cast<std::size_t>(section)].data();
}

/// Not safe to print: "node1, variable OMP_NUM_THREADS".
template <typename Compared>
std::string subject_of(const Compared& compared) {
  return compared.host + subject_text(compared.subject);
}

template <typename Compared>
std::string name_of(const Compared& compared) {
  const std::string subject = subject_of(compared);
  return section_name(compared.section) + (subject.empty() ? "" : ": " + printable(subject));
}

/// A variable by its name alone.
std::string short_subject(const EnvironmentHidden& hidden) {
  const bool is_variable = hidden.subject.kind == SubjectKind::variable;
  return hidden.host + (is_variable ? hidden.subject.name : subject_text(hidden.subject));
}

const char* why_hidden(const EnvironmentHidden& hidden) {
  return hidden.is_whole ? "a secret's name, or a login in its value" : "secrets in it are hidden";
}

bool is_own_file(const std::string& file) {
  struct stat state;
  return ::lstat(file.c_str(), &state) == 0 && S_ISREG(state.st_mode) &&
         state.st_uid == ::geteuid() && (state.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// True while more may come: then what is captured is not the last word. A process without an end
/// was killed, or runs: on another machine nobody here can tell.
bool may_still_run(const Log& log) {
  const auto is_there = [](long long process) {
    return process > 0 && process <= INT_MAX && ::kill(static_cast<pid_t>(process), 0) == 0;
  };
  // Of its first process, which may have no log, the run's name has the id: docs/LOG_FORMAT.md.
  const std::size_t id = log.run.find('-');
  if (id != std::string::npos && is_there(std::atoll(log.run.c_str() + id + 1)))
    return true;
  const std::string here = host_name();
  return std::ranges::any_of(log.processes, [&](const Process& process) {
    if (process.end || was_ended_by_parent(log, process))
      return false;
    const std::string node = process.starts.empty() ? "" : process.starts.back().node;
    return is_there(process.pid) || (!node.empty() && node != here);
  });
}

/// Under `places`, what of the run's log had been written when it was looked at: a log only grows.
constexpr const char* log_seen = "log";
std::string size_of_log(const Log& log) {
  std::set<std::string> files;
  for (const Process& process : log.processes)
    files.insert(process.file);
  std::uint64_t size = 0;
  for (const std::string& file : files)
    if (const OpenFile input(log.folder + "/" + file); input)
      size += input.size();
  return std::to_string(files.size()) + " files, " + std::to_string(size) + " bytes";
}

bool has_grown(const Environment& environment, const Log& log) {
  const std::string seen = environment.place(log_seen);
  return !seen.empty() && seen != size_of_log(log);
}

/// True if the log may have grown since; to be sure of it takes reading it.
bool was_written_since(const std::string& folder, const KeptEnvironments& kept) {
  std::int64_t looked = std::numeric_limits<std::int64_t>::max();
  for (const KeptEnvironment& environment : kept.all)
    looked = std::min(looked, last_written(environment.file));
  return std::ranges::any_of(record_files(folder), [&](const std::string& file) {
    return last_written(folder + "/" + file) >= looked;
  });
}

/// The environment of a run that is kept already: this machine's, else one from elsewhere.
class KeptStart {
public:
  KeptStart(const KeptEnvironments& kept, const std::string& here) {
    auto chosen = std::ranges::find_if(kept.all, [&](const KeptEnvironment& each) {
      return was_captured_at_start(each.environment) && each.environment.place("machine") == here;
    });
    is_elsewhere_ = chosen == kept.all.end() && !kept.all.empty();
    if (is_elsewhere_)
      chosen = kept.all.begin();
    if (chosen != kept.all.end())
      kept_ = &*chosen;
    // Another's names folders of its own choice: it stays as it is.
    is_own_ = kept_ == nullptr || is_own_file(kept_->file);
  }

  const Environment* environment() const {
    return kept_ == nullptr ? nullptr : &kept_->environment;
  }
  std::string file() const { return kept_ == nullptr ? "" : kept_->file; }
  bool is_elsewhere() const { return is_elsewhere_; }
  bool is_own() const { return is_own_; }

  /// What can be completed; nullptr where nothing was captured as the run began.
  const Environment* captured_at_start() const {
    return kept_ != nullptr && was_captured_at_start(kept_->environment) ? environment() : nullptr;
  }

  /// True if it stays as it is.
  bool is_last_word(const Log& log, bool again) const {
    if (kept_ == nullptr)
      return false;
    const bool is_current = !again && !has_grown(kept_->environment, log);
    return !is_own_ || (kept_->environment.is_complete && (is_current || is_elsewhere_));
  }

private:
  const KeptEnvironment* kept_ = nullptr;
  bool is_elsewhere_ = false, is_own_ = true;
};

/// Why a side cannot be compared, safe to print; empty where it can.
std::string why_incomparable(const KeptEnvironments& kept, const std::string& name) {
  if (!kept.all.empty())
    return {};
  return kept.problems.empty() ? name + " has none" : kept.problems.front();
}

/// What each of two runs has of one machine; nullptr: none.
using Sides = std::array<const Environment*, 2>;

/// By the machines that have one, as subjects begin. Where each run has one alone, those are
/// compared whatever their names are.
std::map<std::string, Sides> by_host(const KeptEnvironments& in_a, const KeptEnvironments& in_b) {
  const bool is_one = in_a.all.size() == 1 && in_b.all.size() == 1;
  std::map<std::string, Sides> hosts;
  for (std::size_t side = 0; side < 2; ++side)
    for (const KeptEnvironment& each : (side == 0 ? in_a : in_b).all)
      hosts[is_one ? "" : each.environment.host + ", "][side] = &each.environment;
  return hosts;
}

EnvironmentComparison compare_sides(const Sides& sides) {
  if (sides[0] != nullptr && sides[1] != nullptr)
    return compare_environments(*sides[0], *sides[1]);
  constexpr const char* missing = "that machine has none";
  EnvironmentComparison comparison;
  comparison.unknown.push_back({EnvironmentSection::machine, "all of it",
                                sides[0] != nullptr ? "" : missing,
                                sides[1] != nullptr ? "" : missing});
  return comparison;
}

/// Adds what was compared of one machine, its name in front of each subject.
void add_under(const std::string& host, EnvironmentComparison from, EnvironmentComparison& to) {
  const auto move_all = [&](auto& each_from, auto& each_to) {
    for (auto& each : each_from) {
      each.host = host;
      each_to.push_back(std::move(each));
    }
  };
  move_all(from.differences, to.differences);
  move_all(from.unknown, to.unknown);
  move_all(from.hidden, to.hidden);
  to.same += from.same;
}

/// False in another's folder, and for a run that has not said all: found out anew the next time.
bool can_be_kept(const Log& log, bool again) {
  return !log.processes.empty() && ::access(log.folder.c_str(), W_OK) == 0 &&
         (again || !may_still_run(log));
}

void keep(RunEnvironment& result) {
  try {
    write_whole(result.file, environment_json(result.environment));
    result.is_kept = true;
  } catch (const UsageError& problem) { // a full disk: it is completed again the next time
    result.why_not_kept = problem.what();
  }
}

} // namespace

RunEnvironment complete_environment(const Log& log, bool again) {
  RunEnvironment result;
  const KeptEnvironments kept = kept_environments(log.folder, log.run);
  if (!kept.problems.empty())
    result.remark = kept.problems.front();
  const KeptStart start(kept, machine_identity());
  result.file = start.file();
  if (start.is_last_word(log, again)) {
    result.why_not_kept = start.is_own() ? "" : "it is another user's, or others may write to it";
    result.environment = *start.environment();
    result.is_kept = !again;
    return result;
  }
  const Progress progress("looking at what the run stood on");
  result.environment = capture_run(log, start.captured_at_start());
  result.environment.places[log_seen] = size_of_log(log);
  if (result.file.empty())
    result.file = place_to_keep(log.folder, result.environment);
  // From elsewhere the run's own machine would never be asked.
  if (start.is_elsewhere() && start.captured_at_start() != nullptr)
    result.why_not_kept = "this is not the machine that the run was on";
  else if (can_be_kept(log, again))
    keep(result);
  return result;
}

BesidesLog besides_log(const Log& log, const Environment& environment) {
  BesidesLog besides;
  besides.environment.files = split(environment.place(carried_state), '\n');
  std::string file = evidence_file_name;
  std::error_code error;
  // The start record has the folder of the first record: a program may be in another by then.
  if (const std::string folder = environment.place("folder");
      std::filesystem::is_directory(folder, error))
    file = folder + '/' + evidence_file_name;
  try {
    const std::vector<EvidenceEntry> entries = read_evidence(file);
    ProgramState state = state_of(environment);
    if (!entries.empty())
      add_seeds(log, state);
    besides.evidence = evidence_of(entries, state);
  } catch (const UsageError& problem) {
    spdlog::warn("{}", problem.what());
  }
  return besides;
}

Json run_environment_json(const RunEnvironment& environment) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(environment.file, error);
  Json unknown = Json::array();
  for (std::size_t i = 0; i < environment_sections; ++i)
    for (const auto& [subject, value] : environment.environment.sections[i].values)
      if (!value.is_fact())
        unknown.push_back({{"section", environment_section_names[i]},
                           {"subject", subject_text(subject)},
                           {"why", value_text(value)}});
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
  const EnvironmentComparison comparison =
      compare_environments(before, capture_environment(options));
  std::vector<std::string> changes;
  for (const EnvironmentDifference& difference : comparison.differences)
    if (difference.subject != untracked_files)
      changes.push_back(name_of(difference) + ": " + shown(difference.a, longest) + ", then " +
                        shown(difference.b, longest));
  return changes;
}

KeptEnvironments complete_environments(const std::string& place, const std::string& run) {
  const RunPlace named = find_run(place);
  require_readable(named.folder);
  std::filesystem::path folder = named.folder;
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(folder, error) &&
                         !std::filesystem::is_regular_file(place, error);
  KeptEnvironments kept =
      is_folder ? kept_environments(folder, run.empty() ? named.run.value_or("") : run)
                : KeptEnvironments{{{place, read_environment_file(place)}}, {}};
  if (!is_folder)
    folder = std::filesystem::absolute(place, error).parent_path();
  const auto is_complete = [](const KeptEnvironment& start) {
    return start.environment.is_complete;
  };
  if (kept.all.empty() || (std::ranges::all_of(kept.all, is_complete) &&
                           (!is_folder || !was_written_since(folder, kept))))
    return kept;
  const Log log = read_log(folder, kept.all.front().environment.run);
  if (log.processes.empty())
    return kept;
  const RunEnvironment completed = complete_environment(log, false);
  for (KeptEnvironment& known : kept.all)
    if (base_name(known.file) == base_name(completed.file))
      known.environment = completed.environment;
  return kept;
}

Facts library_facts(const std::string& folder, const std::string& run) {
  Facts facts;
  const KeptEnvironments kept = complete_environments(folder, run);
  if (kept.all.size() == 1)
    for (const auto& [subject, value] :
         kept.all[0].environment.of(EnvironmentSection::libraries).values)
      if (value.is_fact())
        facts[file_subject(subject.name)] = value.text;
  return facts;
}

RunsCompared compare_run_environments(const std::string& a, const std::string& run_a,
                                      const std::string& b, const std::string& run_b) {
  RunsCompared result;
  const KeptEnvironments in_a = complete_environments(a, run_a);
  const KeptEnvironments in_b = complete_environments(b, run_b);
  result.unknown = why_incomparable(in_a, "A");
  if (result.unknown.empty())
    result.unknown = why_incomparable(in_b, "B");
  if (!result.unknown.empty())
    return result;
  for (const auto& [host, sides] : by_host(in_a, in_b))
    add_under(host, compare_sides(sides), result.comparison);
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
  const EnvironmentComparison& comparison = compared.comparison;
  if (comparison.differences.empty() && comparison.unknown.empty())
    return;
  if (comparison.differences.empty())
    out << "environments: no difference";
  else
    out << style.bold("environments differ")
        << ", which may be why: " << counted(comparison.differences.size(), "difference");
  if (!comparison.unknown.empty())
    out << ", " << counted(comparison.unknown.size(), "thing") << " not known";
  out << '\n';
  for (std::size_t i = 0; i < std::min(most, comparison.differences.size()); ++i) {
    const EnvironmentDifference& difference = comparison.differences[i];
    const auto [in_a, in_b] = shown_sides(difference, longest);
    out << "  " << name_of(difference) << ": " << in_a << " | " << in_b << '\n';
  }
  print_switch(out, comparison);
  const std::size_t more =
      comparison.differences.size() - std::min(most, comparison.differences.size());
  if (more > 0)
    out << "  and " << more << " more";
  if (more > 0 || !comparison.unknown.empty())
    out << (more > 0 ? ": " : "  ") << "detshim env diff " << printable(find_run(a).folder) << ' '
        << printable(find_run(b).folder) << '\n';
}

void print_comparison(std::ostream& out, const EnvironmentComparison& comparison, Style style) {
  constexpr std::size_t longest = 200;
  std::optional<EnvironmentSection> section;
  for (const EnvironmentDifference& difference : comparison.differences) {
    if (section != difference.section)
      out << style.bold(section_name(difference.section)) << '\n';
    section = difference.section;
    const auto [in_a, in_b] = shown_sides(difference, longest);
    out << "  " << printable(subject_of(difference)) << "\n    A " << in_a << "\n    B " << in_b
        << '\n';
  }
  print_switch(out, comparison);
  if (!comparison.unknown.empty())
    out << style.bold("not known") << '\n';
  for (const EnvironmentUnknown& fact : comparison.unknown) {
    out << "  " << name_of(fact);
    if (!fact.why_in_a.empty())
      out << "; in A " << printable(fact.why_in_a);
    if (!fact.why_in_b.empty())
      out << "; in B " << printable(fact.why_in_b);
    out << '\n';
  }
  if (!comparison.hidden.empty()) {
    out << "not compared: ";
    for (const EnvironmentHidden& fact : comparison.hidden)
      out << (&fact == comparison.hidden.data() ? "" : ", ") << printable(short_subject(fact))
          << " (" << why_hidden(fact) << ')';
    out << '\n';
  }
  out << (comparison.differences.empty()
              ? comparison.unknown.empty() ? "equal" : "not known"
              : "different: " + counted(comparison.differences.size(), "difference"))
      << "; " << counted(comparison.same, "fact") << " the same\n";
}

Json comparison_json(const EnvironmentComparison& comparison) {
  const auto difference = [](const EnvironmentDifference& given) -> Json {
    return {{"section", section_name(given.section)},
            {"subject", subject_of(given)},
            {"a", given.a},
            {"b", given.b}};
  };
  const auto hidden = [](const EnvironmentHidden& fact) -> Json {
    return {{"section", section_name(fact.section)},
            {"subject", subject_of(fact)},
            {"why", why_hidden(fact)}};
  };
  const auto unknown = [](const EnvironmentUnknown& fact) -> Json {
    return {{"section", section_name(fact.section)},
            {"subject", subject_of(fact)},
            {"why_in_a", unless_empty(fact.why_in_a)},
            {"why_in_b", unless_empty(fact.why_in_b)}};
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
