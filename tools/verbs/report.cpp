// detshim report: one HTML file out of a verification or a log.
#include "verify/report.h"
#include "environment/kept_environments.h"
#include "html_report/html_report.h"
#include "log_diff/run.h"
#include "support/files.h"
#include "verbs/acceptance.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

namespace detshim {

std::string latest_place() {
  std::error_code error;
  const std::filesystem::path verification =
      std::filesystem::canonical(default_log_folder, error).parent_path().parent_path();
  return std::filesystem::exists(verification / verify_document_file, error) ? verification.string()
                                                                             : default_log_folder;
}

int report(const ReportOptions& options) {
  if (options.place)
    require_readable(find_run(*options.place).folder);
  const std::vector<std::string> accepted = accepted_reasons({});
  const std::string text = html_report(options.place.value_or(latest_place()), [&](Log log) {
    const BesidesLog besides = besides_log(log, complete_environment(log, false).environment);
    return std::make_unique<const JudgedLog>(std::move(log), Decode::own_code, accepted, besides);
  });
  if (options.output == "-")
    std::cout << text;
  else
    write_where_asked(options.output, text, 0666); // the umask takes from it
  return done;
}

} // namespace detshim
