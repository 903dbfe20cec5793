// detshim verify: runs a program several times under one seed, and compares what came of it.
#include "environment/kept_environments.h"
#include "log_reader/printable.h"
#include "report/wrapped_lines.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"
#include "verbs/verify_plan.h"
#include "verify/report.h"

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
  keep_document(plan, result);
  if (options.json) {
    print_verify_json(plan, result, std::cout);
  } else {
    const WrappedOutput wraps;
    print_verify_text(plan, result);
  }
  if (options.junit) write_junit(*options.junit, plan, result);
  std::cout.flush();
  if (result.interrupted_by != 0) return end_as_interrupted({result.interrupted_by}, plan);
  return status_of(result.answer);
}

} // namespace detshim
