// detshim verify: runs a program several times under one seed, and compares what came of it.
#include "common/log_folder.h"
#include "environment/kept_environments.h"
#include "evidence/evidence_file.h"
#include "evidence/learned_seeds.h"
#include "log_reader/log.h"
#include "log_reader/source_lines.h"
#include "run/library_file.h"
#include "scanner/elf_file.h"
#include "support/descriptor.h"
#include "support/files.h"
#include "support/progress.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"
#include "verbs/verify_plan.h"
#include "verify/report.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

/// In a file that the user has named, if any.
void write_report(const std::optional<std::string>& file,
                  void (*print)(const VerifyPlan&, const Verification&, std::ostream&),
                  const VerifyPlan& plan, const Verification& result) {
  if (!file)
    return;
  std::ofstream out(*file);
  print(plan, result, out);
  if (!out.flush())
    throw UsageError("cannot write " + in_quotes(*file));
}

/// What `detshim attest` speaks of: as it was when the runs were compared.
void take_digests(const VerifyPlan& plan, Verification& result) {
  if (result.runs.empty())
    return;
  const Run& first = result.runs.front();
  const std::string library = find_library(plan.run.library);
  try {
    result.library_build = ElfFile(library).build_id();
  } catch (const ElfError&) { // the runs' logs tell that
  }
  std::vector<std::pair<std::string, std::string>> names = {
      {"stdout", ""}, {"stderr", ""}, {"environment", ""}, {"library", ""}};
  std::vector<std::string> files = {first.out(), first.err(), plan.folder / "environment.json",
                                    library};
  for (const OutputFile& output : first.outputs)
    if (output.kind == OutputFile::regular) {
      names.emplace_back("output", output.name);
      files.push_back(output.stored);
    }
  const Progress progress("hashing " + counted(files.size(), "file"));
  const std::vector<std::string> sums = sha256_of(files);
  for (std::size_t i = 0; i < sums.size(); ++i)
    result.sha256[names[i]] = sums[i];
}

/// For `detshim report` and `attest`, which refuse one that a full disk has cut.
void keep_document(const VerifyPlan& plan, const Verification& result) {
  std::ofstream out(plan.folder / verify_document_file);
  print_verify_json(plan, result, out);
}

/// True where runs are made to repeat.
bool forces(Mode mode) { return mode == Mode::enforce || mode == Mode::strict; }

/// The plain runs, as their logs and environments say it.
struct PlainRuns {
  std::vector<ProgramState> states;
  std::vector<std::string> problems; ///< of each, why a later run cannot be held to it; or empty

  explicit PlainRuns(const Verification& result) {
    for (std::size_t i = 0; i < std::min(result.plain_runs, result.runs.size()); ++i)
      add(read_log(result.runs[i].log().string()));
  }

  /// What they have in common; why it is nothing that a later run can be held to: a remark.
  ProgramState in_common(std::string& remark) const {
    const auto problem = std::ranges::find_if(problems, [](const std::string& each) {
      return !each.empty();
    });
    remark = problem == problems.end() ? "" : *problem;
    return common_state(states, remark);
  }

  void leave_out_first() {
    states.erase(states.begin());
    problems.erase(problems.begin());
  }

private:
  void add(const Log& log) {
    ProgramState state = state_of(complete_environment(log, false).environment);
    add_seeds(log, state);
    problems.push_back(problem_of(log, state));
    states.push_back(std::move(state));
  }

  static std::string problem_of(const Log& log, const ProgramState& state) {
    if (log.processes.empty())
      return "a run left no log";
    if (!log.other_runs.empty())
      return "a run left several logs";
    return state.unknown.empty() ? "" : state.unknown.front();
  }
};

/// Fills in what the plain runs were. The first of three or more may have found no cache, which the
/// others did: then they are the evidence.
void add_plain_runs(PlainRuns runs, EvidenceEntry& entry, std::string& remark) {
  constexpr std::size_t enough = 3;
  if (runs.states.empty())
    return;
  entry.runs = runs.states.size();
  entry.state = runs.in_common(remark);
  if (!remark.empty() && runs.states.size() >= enough) {
    runs.leave_out_first();
    entry.runs = runs.states.size();
    entry.state = runs.in_common(remark);
  }
}

/// Where plain runs first differed; empty where they did not.
std::string first_difference(const Verification& result) {
  for (const Comparison& comparison : result.comparisons)
    if (comparison.is_plain() && !comparison.differences.empty())
      return describe_item(comparison.differences.front().item) + ", " +
             describe_difference(comparison.differences.front().what);
  return {};
}

/// What the runs were and have shown; why it is nothing that a later run can be held to: a remark.
EvidenceEntry entry_of(const VerifyPlan& plan, const Verification& result, std::string& remark) {
  EvidenceEntry entry;
  entry.date = moment_text(std::time(nullptr), "%Y-%m-%d");
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    entry.can_differ.insert(result.logs[i].can_differ.begin(), result.logs[i].can_differ.end());
    if (i >= result.plain_runs)
      entry.perturbations.emplace_back(result.runs[i].perturbation->name);
  }
  add_plain_runs(PlainRuns(result), entry, remark);
  if (!remark.empty())
    remark += " (if the first run left it so: verify once more)";
  for (const ComparedItem& item : all_items(result))
    entry.compared.push_back(describe_item(item));
  entry.difference = first_difference(result);
  entry.is_equal = result.answer == Answer::equal;
  if (plan.until)
    remark = "the runs were to end before their ends (--until, --first)";
  if (!forces(plan.mode))
    remark = std::string("mode ") + mode_name(plan.mode);
  return entry;
}

/// Keeps what the runs have shown, for `log` to use: that they are equal, or that they differ
/// with nothing turned.
void keep_evidence_of(const VerifyPlan& plan, Verification& result) {
  const bool is_equal = result.answer == Answer::equal;
  std::string remark;
  EvidenceEntry entry = entry_of(plan, result, remark);
  if (!is_equal && (result.answer != Answer::different || entry.difference.empty()))
    return;
  try {
    if (remark.empty() || !is_equal)
      keep_evidence(evidence_file_name, std::move(entry));
    if (!is_equal)
      remark.clear(); // that runs differed holds whatever is not known
  } catch (const UsageError& problem) {
    remark = problem.what();
  }
  result.remarks.push_back(remark.empty() ? std::string("kept in ") + evidence_file_name +
                                                ", for `detshim log`"
                                          : "no evidence for later runs is kept: " + remark);
}

/// Keeps which seeds changed between two runs, for the library; the call sites, by their lines of
/// source.
SeedsOfCallSites keep_learned_seeds_of(const std::string& one, const std::string& other) {
  std::vector<std::string> entries;
  SeedsOfCallSites call_sites;
  const Log last = read_log(other);
  SourceLines lines;
  for (const LearnedSeeds& seeds : learn_seeds(read_log(one), last)) {
    entries.push_back(seeds.entry);
    const std::optional<UserLine> line = lines.find_user(seeds.at, seeds.frames);
    std::vector<std::string>& to = seeds.is_constant ? call_sites.constant : call_sites.changing;
    to.push_back(!seeds.python.empty() || !line ? seeds.name : line->text());
  }
  if (!entries.empty())
    keep_learned_seeds(evidence_file_name, entries);
  return call_sites;
}

/// `detshim log`, `report` and `attest` without a folder speak of this verification: of its last
/// plain run, also where that left no log (mode off).
void link_last_run(const VerifyPlan& plan, const Verification& result) {
  if (result.plain_runs == 0)
    return;
  const std::filesystem::path log = result.runs[result.plain_runs - 1].log();
  std::error_code error;
  std::filesystem::create_directory(log, error);
  if (const OwnedDescriptor folder(::open(plan.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      folder)
    link_latest(folder.number(), log.lexically_relative(plan.folder.parent_path()).c_str(),
                ::getpid());
}

/// Of before the first run.
void keep_environment(const VerifyPlan& plan, const Environment& environment) {
  try {
    write_whole(plan.folder / "environment.json", environment_json(environment));
  } catch (const UsageError&) { // a full disk: the runs will report it
  }
}

/// Of one that was just killed, the kernel may not have taken everything away.
SetAside::Found restore_patiently(const VerifyOptions& options) {
  constexpr int tries = 30;
  const timespec between = {0, 100'000'000};
  SetAside::Found outcome = restore_outputs(options);
  for (int i = 0; i < tries && outcome == SetAside::Found::at_work; ++i) {
    ::nanosleep(&between, nullptr);
    outcome = restore_outputs(options);
  }
  return outcome;
}

/// Never ends without a word: who asks misses a file.
int restore(const VerifyOptions& options) {
  const SetAside::Found outcome = restore_patiently(options);
  if (outcome == SetAside::Found::at_work)
    throw UsageError(
        "nothing is put back: the `verify` that has set files aside here is still at work");
  if (outcome == SetAside::Found::nothing)
    spdlog::info("nothing to put back: no `verify` that was killed has left files set aside here");
  return done;
}

} // namespace

int verify(const VerifyOptions& options) {
  if (options.restore)
    return restore(options);
  check_verify(options);
  VerifyPlan plan = plan_verification(options);
  const bool gives_way = options.run.policy.value_or(variable("DETSHIM_SEED_POLICY")) != "keep";
  if (gives_way && forces(plan.mode))
    plan.learn_seeds = keep_learned_seeds_of;
  CaptureOptions capture;
  capture.program = plan.command.front();
  const Environment before = capture_environment(capture);
  keep_environment(plan, before);
  Verification result;
  try {
    result = verify_program(plan);
  } catch (const Interrupted& interrupted) {
    return end_as_interrupted(interrupted, plan);
  }
  result.environment_changes = changes_since(before);
  keep_evidence_of(plan, result);
  take_digests(plan, result);
  keep_document(plan, result);
  if (!options.run.log)
    link_last_run(plan, result);
  if (options.json) {
    print_verify_json(plan, result, std::cout);
  } else {
    print_verify_text(plan, result);
  }
  write_report(options.junit, print_verify_junit, plan, result);
  write_report(options.sarif, print_verify_sarif, plan, result);
  write_report(options.markdown, print_verify_markdown, plan, result);
  std::cout.flush();
  return status_of(result.answer);
}

} // namespace detshim
