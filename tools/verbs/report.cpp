// detshim report: one HTML file out of a verification or a log.
#include "environment/kept_environments.h"
#include "html_report/html_report.h"
#include "verbs/acceptance.h"
#include "verbs/environments.h"
#include "verbs/verbs.h"

#include <iostream>

namespace detshim {

int report(const ReportOptions& options) {
  const std::string text = html_report(
      options.place.value_or(default_log_folder), accepted_reasons({}), [](const Log& log, Verdict& verdict) {
        weigh_evidence_of(log, complete_environment(log, false).environment, verdict);
      });
  if (options.output == "-")
    std::cout << text;
  else
    write_where_asked(options.output, text, 0666); // the umask takes from it
  return done;
}

} // namespace detshim
