// What one rank of a run has read of clocks, known to the others.
#pragma once

namespace detshim {

/// Lets the main thread of a rank note what it reads in a file of the run's log folder
/// (`<run>.readings`, or `parent-<pid>.readings` where each rank begins a run), where the other
/// ranks find it, and makes that folder. Without one, or past the 256th, it notes for itself alone.
/// From the constructor only.
void share_clock_samples_with_ranks();

} // namespace detshim
