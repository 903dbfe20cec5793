// One line for each rank, and for each launcher, in a file that each node has for itself: what a
// reader tells a rank by that has no log because the library is not in it.
#pragma once

namespace detshim {

/// Writes this process's line, if it is what a launcher started or is a launcher. From the
/// constructor only.
void mark_rank();

} // namespace detshim
