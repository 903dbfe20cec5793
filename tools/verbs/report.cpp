// detshim report: one HTML file out of a verification or a log.
#include "html_report/html_report.h"
#include "html_report/whole_file.h"
#include "verbs/acceptance.h"
#include "verbs/verbs.h"

#include <iostream>
#include <sstream>
#include <utility>

namespace detshim {

int report(const ReportOptions& options) {
  const ReportSource source =
      read_report_source(options.place.value_or(default_log_folder), accepted_reasons({}, false));
  std::ostringstream page;
  write_html_report(page, source);
  const std::string text = std::move(page).str();
  if (options.output == "-")
    std::cout << text;
  else
    write_whole_file(options.output, text);
  return done;
}

} // namespace detshim
