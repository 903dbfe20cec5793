// Readings of clocks and ids at call sites that the user names (DETSHIM_FREEZE): answered by what
// follows from DETSHIM_SEED. All others stay real: a clock that stands still everywhere hangs
// programs (seen: Python's Event.wait).
#pragma once

#include <cstdint>
#include <time.h>

namespace detshim {

/// True if the reading whose caller (a return address) that is is to be answered. One look at an
/// option where none is.
bool is_frozen(const void* caller);

/// A time in the range of real ones: of the calling thread of this process and rank alone, and
/// later than its last. Of a clock that counts since a start (`is_since_start`), as of some days
/// after it.
timespec frozen_time(bool is_since_start);

/// An id in the range of real ones, the same at each reading of the calling thread.
int32_t frozen_id();

/// Calls visit(name) for each named call site at which this process has read nothing.
void each_unused_freeze(void (*visit)(const char* name));

} // namespace detshim
