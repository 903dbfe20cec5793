#include "html_report/report_source.h"

#include "log_diff/log_diff.h"
#include "log_reader/printable.h"
#include "support/exit_status.h"
#include "verify/report.h"

#include <exception>
#include <filesystem>
#include <system_error>

namespace detshim {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& name) {
  std::error_code error;
  return fs::is_directory(name, error);
}

void read_evidence(const std::string& folder, const std::vector<std::string>& accepted,
                   ReportSource& source) {
  if (!is_folder(folder)) return;
  source.evidence = std::make_unique<LogEvidence>(folder, accepted);
  if (!source.evidence->is_there()) source.evidence.reset();
}

void compare_logs_of(const VerifyDocument& document, ReportSource& source) {
  if (document.differences.empty()) return;
  source.one = document.differences.front().one;
  source.other = document.differences.front().other;
  const VerifyDocument::Run* const one = document.find_run(source.one);
  const VerifyDocument::Run* const other = document.find_run(source.other);
  if (one == nullptr || other == nullptr) {
    source.difference_problem = "the document does not say where their logs are";
    return;
  }
  try {
    source.difference = compare_logs(one->folder + "/log", other->folder + "/log");
  } catch (const std::exception& error) {
    source.difference_problem = error.what();
  }
}

} // namespace

ReportSource read_report_source(const std::string& name, const std::vector<std::string>& accepted) {
  ReportSource source;
  std::error_code error;
  const std::string kept = name + "/" + verify_document_file;
  if (fs::is_regular_file(name, error) || fs::is_regular_file(kept, error)) {
    const VerifyDocument& document =
        source.verification.emplace(read_verify_document(is_folder(name) ? kept : name));
    if (!document.runs.empty()) read_evidence(document.runs.front().folder + "/log", accepted, source);
    compare_logs_of(document, source);
    source.metrics = read_metrics(document);
    return source;
  }
  source.evidence = std::make_unique<LogEvidence>(name, accepted);
  const Log& log = source.evidence->log;
  if (!source.evidence->is_there() && !log.other_format_files.empty())
    throw UsageError("the log in '" + printable(name) + "' is of format " +
                     std::to_string(log.other_format_files.front().format) + ", this detshim reads format " +
                     std::to_string(known_log_format));
  if (!source.evidence->is_there())
    throw UsageError("'" + printable(name) + "' holds neither a log nor what `detshim verify` keeps");
  return source;
}

} // namespace detshim
