// How the log of a process ends.
#pragma once

namespace detshim {

/// Writes the closing record, and in the first process of the run the closing line on stderr. Once in a
/// process: `last_records` is called before, for what is recorded at the end.
void close_log(void (*last_records)());

/// It was not the end after all: the next close_log() closes it again.
void go_on_with_log();

} // namespace detshim
