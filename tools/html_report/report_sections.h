// The sections of a report, a file each. A section of which there is nothing to say is left out.
#pragma once

#include "html_report/html_writer.h"
#include "html_report/report_source.h"

namespace detshim {

/// The heading of the page: the verdict and its reasons, what ran, and with what.
void write_verdict(HtmlWriter& html, const ReportSource& source);

/// What differed first between the logs of two runs, with the line of source, and what else differs in them.
void write_first_cause(HtmlWriter& html, const ReportSource& source);

/// The metrics of the runs over each other, with the first difference marked.
void write_metrics(HtmlWriter& html, const ReportSource& source);

/// The runs, what was compared, and what differs.
void write_comparison(HtmlWriter& html, const ReportSource& source);

/// A call that gave something else for the same, by what went in.
void write_discriminators(HtmlWriter& html, const ReportSource& source);

/// The calls of a log, worst first.
void write_calls(HtmlWriter& html, const ReportSource& source);

/// What of each library was hooked, and what came of its calls.
void write_coverage(HtmlWriter& html, const ReportSource& source);

/// The processes and ranks, as a tree: a log has no times.
void write_processes(HtmlWriter& html, const ReportSource& source);

} // namespace detshim
