// Readings of the clock, and of the process's id, by the user's own Python code.
//
// `random.seed(time.time())` and `np.random.seed(int(time.time()))` take their seed out of sight: what
// Python and NumPy make of a seed no hook sees. The reading is seen, with its line; `detshim log` looks
// whether that line takes a seed.
#pragma once

#include "core/identity/thread.h"
#include "loader/hook.h"

namespace detshim {

/// True if a call at `caller` is the interpreter's own, for a line of the user's. Tells for the first
/// thousand readings of each thread only: seeds are taken early, and a loop that times its steps pays no
/// longer.
bool is_reading_of_users_python(const void* caller);

/// Records such a reading.
template <typename Call>
void record_python_reading(const Call& call) {
  if (options().pins() && call.is_hooked() && is_reading_of_users_python(call.caller()))
    call.record(Action::observe, "read by Python code", {});
}

} // namespace detshim
