// What the log keeps of a program's environment, so that two runs can be compared: names, and hashes of
// values.
#pragma once

namespace detshim {

/// Writes the records `variables` (docs/LOG_FORMAT.md), behind the start record. With the log's lock held.
void write_variables();

} // namespace detshim
