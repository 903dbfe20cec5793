// Readings of the clock, and of the process's id, by the user's own Python code.
//
// `random.seed(time.time())` and `np.random.seed(int(time.time()))` take their seed out of sight: what
// Python and NumPy make of a seed no hook sees. The reading is seen, with its line; `detshim log` looks
// whether that line takes a seed.
#pragma once

#include "core/base/python_frames.h"
#include "core/identity/thread.h"
#include "core/log/log_file.h"
#include "hooks/support/user_call_sites.h"
#include "loader/hook.h"

namespace detshim {

enum class PythonReading {
  time,
  id,
  other_clock, ///< that counts from somewhere, as deadlines do
};

/// True if a call at `caller` is the interpreter's own, for a line of the user's, which is `call_site` then.
/// Tells for the first thousand readings of each thread only, of the time (or an id) and of other clocks:
/// seeds are taken early, and a loop that times its steps pays no longer.
bool is_reading_of_users_python(const void* caller, PythonReading reading, PythonCallSite& call_site);

/// The same for what a line reads of the system, also through a function of Python's library that does
/// nothing else (os.path.getmtime, socket.create_connection).
bool is_input_of_users_python(const void* caller, PythonCallSite& call_site);

/// True if the interpreter itself calls, and for no line of the user's, or while it imports.
bool is_import_of_python(const void* caller);

/// Records such a reading.
template <typename Call>
void record_python_reading(const Call& call, PythonReading reading) {
  PythonCallSite call_site;
  if (!options().pins() || !call.is_hooked() ||
      !is_reading_of_users_python(call.caller(), reading, call_site))
    return;
  // Observed calls make no log. A seed may be taken before the first draw, which does.
  const bool may_be_deadline = reading == PythonReading::other_clock;
  if (!may_be_deadline && log_file::has_begun())
    call.record(Action::observe, Reason::clock_read, {});
  else
    keep_python_call(UserCall::clock, call.caller(), call_site, may_be_deadline);
}

} // namespace detshim
