// detshim verify: runs a program several times under one seed, and compares what came of it.
#include "log_reader/printable.h"
#include "report/wrapped_lines.h"
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

} // namespace

int verify(const VerifyOptions& options) {
  check_verify(options);
  const VerifyPlan plan = plan_verification(options, "verify");
  Verification result;
  try {
    result = verify_program(plan);
  } catch (const Interrupted& interrupted) {
    return end_as_interrupted(interrupted, plan);
  }
  keep_document(plan, result);
  if (options.json) {
    print_verify_json(plan, result, std::cout);
  } else {
    const WrappedOutput wraps;
    print_verify_text(plan, result);
  }
  if (options.junit) write_junit(*options.junit, plan, result);
  return status_of(result.answer);
}

} // namespace detshim
