// detshim verify: runs a program several times under one seed, and compares what came of it.
#include "environment/kept_environments.h"
#include "evidence/evidence_file.h"
#include "log_reader/log.h"
#include "log_reader/printable.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"
#include "verbs/verify_plan.h"
#include "verify/report.h"

#include <ctime>
#include <fstream>
#include <iostream>

namespace detshim {
namespace {

void write_junit(const std::string& file, const VerifyPlan& plan, const Verification& result) {
  std::ofstream out(file);
  print_verify_junit(plan, result, out);
  if (!out.flush()) throw UsageError("cannot write '" + printable(file) + "'");
}

/// For `detshim report`, which refuses one that a full disk has cut.
void keep_document(const VerifyPlan& plan, const Verification& result) {
  std::ofstream out(plan.folder / verify_document_file);
  print_verify_json(plan, result, out);
}

/// "2026-11-25", UTC.
std::string today() {
  char text[16] = {};
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  std::strftime(text, sizeof text, "%Y-%m-%d", ::gmtime_r(&now, &parts));
  return text;
}

/// What the plain runs were, as their logs and environments say it; why it is nothing that a later run can be
/// held to: a remark.
EvidenceEntry entry_of(const VerifyPlan& plan, const Verification& result, std::string& remark) {
  EvidenceEntry entry;
  std::vector<ProgramState> states;
  entry.runs = result.plain_runs;
  entry.date = today();
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    entry.can_differ.insert(result.logs[i].can_differ.begin(), result.logs[i].can_differ.end());
    if (i >= result.plain_runs) {
      entry.perturbations.push_back(result.runs[i].perturbation);
      continue;
    }
    const Log log = read_log(result.runs[i].log().string());
    if (log.processes.empty() || !log.other_runs.empty())
      remark = log.processes.empty() ? "a run left no log" : "a run left several logs";
    ProgramState state = state_of(complete_environment(log, false).environment);
    if (!state.unknown.empty()) remark = state.unknown.front();
    states.push_back(std::move(state));
  }
  if (!states.empty()) entry.state = common_state(states, remark);
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

/// Of before the first run.
void keep_environment(const VerifyPlan& plan, const Environment& environment) {
  try {
    write_whole(plan.folder / "environment.json", environment_json(environment));
  } catch (const UsageError&) { // a full disk: the runs will say so
  }
}

} // namespace

int verify(const VerifyOptions& options) {
  check_verify(options);
  const VerifyPlan plan = plan_verification(options, "verify");
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
  if (result.interrupted_by == 0) keep_evidence_of(plan, result);
  keep_document(plan, result);
  if (options.json) {
    print_verify_json(plan, result, std::cout);
  } else {
    print_verify_text(plan, result);
  }
  if (options.junit) write_junit(*options.junit, plan, result);
  std::cout.flush();
  if (result.interrupted_by != 0) return end_as_interrupted({result.interrupted_by}, plan);
  return status_of(result.answer);
}

} // namespace detshim
