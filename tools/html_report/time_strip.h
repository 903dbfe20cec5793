// When the processes of a log lived: a bar for each, by machine clock, and the same as a table.
#pragma once

#include "html_report/html_writer.h"
#include "html_report/process_tree.h"
#include "log_reader/log.h"

namespace detshim {

/// Nothing but a line where no process says when it began.
void write_time_strip(HtmlWriter& html, const Log& log, const ProcessTree& tree);

} // namespace detshim
