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
  if (!file) return;
  std::ofstream out(*file);
  print(plan, result, out);
  if (!out.flush()) throw UsageError("cannot write " + in_quotes(*file));
}

/// What `detshim attest` speaks of: as it was when the runs were compared.
void take_digests(const VerifyPlan& plan, Verification& result) {
  if (result.runs.empty()) return;
  const Run& first = result.runs.front();
  const std::string library = find_library(plan.run.library);
  try {
    result.library_build = ElfFile(library).build_id();
  } catch (const ElfError&) { // the runs' logs have said so
  }
  std::vector<std::pair<std::string, std::string>> names = {
      {"stdout", ""}, {"stderr", ""}, {"environment", ""}, {"library", ""}};
  std::vector<std::string> files = {first.out(), first.err(), plan.folder / "environment.json", library};
  for (const OutputFile& output : first.outputs)
    if (output.kind == OutputFile::regular) {
      names.emplace_back("output", output.name);
      files.push_back(output.stored);
    }
  const Progress progress("hashing " + counted(files.size(), "file"));
  const std::vector<std::string> sums = sha256_of(files);
  for (std::size_t i = 0; i < sums.size(); ++i) result.sha256[names[i]] = sums[i];
}

/// For `detshim report` and `attest`, which refuse one that a full disk has cut.
void keep_document(const VerifyPlan& plan, const Verification& result) {
  std::ofstream out(plan.folder / verify_document_file);
  print_verify_json(plan, result, out);
}

/// What the plain runs were, as their logs and environments say it; why it is nothing that a later run can be
/// held to: a remark.
EvidenceEntry entry_of(const VerifyPlan& plan, const Verification& result, std::string& remark) {
  EvidenceEntry entry;
  std::vector<ProgramState> states;
  std::vector<std::string> problems; // of each
  entry.date = moment_text(std::time(nullptr), "%Y-%m-%d");
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    entry.can_differ.insert(result.logs[i].can_differ.begin(), result.logs[i].can_differ.end());
    if (i >= result.plain_runs) {
      entry.perturbations.push_back(result.runs[i].perturbation);
      continue;
    }
    const Log log = read_log(result.runs[i].log().string());
    states.push_back(state_of(complete_environment(log, false).environment));
    add_seeds(log, states.back());
    problems.push_back(log.processes.empty()           ? "a run left no log"
                       : !log.other_runs.empty()       ? "a run left several logs"
                       : states.back().unknown.empty() ? ""
                                                       : states.back().unknown.front());
  }
  for (int times = 0; times < 2 && states.size() > 2 * static_cast<std::size_t>(times); ++times) {
    if (times == 1) states.erase(states.begin()), problems.erase(problems.begin()); // it found no cache
    entry.runs = states.size();
    const auto problem = std::ranges::find_if(problems, [](const std::string& one) { return !one.empty(); });
    remark = problem == problems.end() ? "" : *problem;
    entry.state = common_state(states, remark);
    if (remark.empty()) break;
  }
  if (!remark.empty()) remark += " (if the first run left it so: verify once more)";
  for (const ComparedItem& item : all_items(result)) entry.compared.push_back(describe_item(item));
  for (const Comparison& comparison : result.comparisons)
    if (comparison.perturbation.empty() && !comparison.differences.empty() && entry.difference.empty())
      entry.difference = describe_item(comparison.differences.front().item) + ", " +
                         describe_difference(comparison.differences.front().what);
  entry.is_equal = result.answer == Answer::equal;
  if (plan.mode != "enforce" && plan.mode != "strict") remark = "mode " + plan.mode;
  return entry;
}

/// Keeps what the runs have shown, for `log` to go by: that they are equal, or that they differ with nothing
/// turned.
void keep_evidence_of(const VerifyPlan& plan, Verification& result) {
  const bool is_equal = result.answer == Answer::equal;
  std::string remark;
  EvidenceEntry entry = entry_of(plan, result, remark);
  if (!is_equal && (result.answer != Answer::different || entry.difference.empty())) return;
  try {
    if (remark.empty() || !is_equal) keep_evidence(evidence_file_name, std::move(entry));
    if (!is_equal) remark.clear(); // that runs differed holds whatever is not known
  } catch (const UsageError& problem) {
    remark = problem.what();
  }
  result.remarks.push_back(remark.empty()
                               ? std::string("kept in ") + evidence_file_name + ", for `detshim log`"
                               : "no evidence for later runs is kept: " + remark);
}

/// Keeps which seeds changed between two runs, for the library; the call sites, by their lines of source.
std::vector<std::string> keep_learned_seeds_of(const std::string& one, const std::string& other) {
  std::vector<std::string> entries, call_sites;
  const Log last = read_log(other);
  SourceLines lines;
  for (const LearnedSeeds& seeds : learn_seeds(read_log(one), last)) {
    entries.push_back(seeds.entry);
    const std::optional<UserLine> line = lines.find_user(seeds.at, seeds.frames);
    call_sites.push_back(!seeds.python.empty() || !line ? seeds.name : line->text());
  }
  if (!entries.empty()) keep_learned_seeds(evidence_file_name, entries);
  return call_sites;
}

/// `detshim log`, `report` and `attest` without a folder speak of this verification: of its last plain run,
/// also where that left no log (mode off).
void link_last_run(const VerifyPlan& plan, const Verification& result) {
  if (result.plain_runs == 0) return;
  const std::filesystem::path log = result.runs[result.plain_runs - 1].log();
  std::error_code error;
  std::filesystem::create_directory(log, error);
  if (const OwnedDescriptor folder(::open(plan.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); folder)
    link_latest(folder.number(), log.lexically_relative(plan.folder.parent_path()).c_str(), ::getpid());
}

/// Of before the first run.
void keep_environment(const VerifyPlan& plan, const Environment& environment) {
  try {
    write_whole(plan.folder / "environment.json", environment_json(environment));
  } catch (const UsageError&) { // a full disk: the runs will say so
  }
}

} // namespace

int verify(const VerifyOptions& options) {
  if (options.restore) return restore_outputs(options), done;
  check_verify(options);
  VerifyPlan plan = plan_verification(options);
  const bool gives_way = options.run.policy.value_or(variable("DETSHIM_SEED_POLICY")) != "keep";
  if (gives_way && (plan.mode == "enforce" || plan.mode == "strict"))
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
  if (!options.run.log) link_last_run(plan, result);
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
