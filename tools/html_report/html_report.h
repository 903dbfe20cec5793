// The report of `detshim report`: one page of HTML that needs no network and runs no script.
#pragma once

#include "html_report/report_source.h"

#include <iosfwd>

namespace detshim {

void write_html_report(std::ostream& out, const ReportSource& source);

} // namespace detshim
