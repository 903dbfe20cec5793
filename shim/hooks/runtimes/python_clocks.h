// Readings of the clock, and of the process's id, by the user's own Python code.
//
// What a line makes of a clock is out of sight, but for the seeds that it passes
// (hooks/runtimes/python_seeds.h). The reading is seen, with its line; `detshim log` names those
// whose readings did not all become such seeds.
#pragma once

#include "core/python/frames.h"
#include "core/seeds/python_readings.h"
#include "hooks/runtimes/python_seeds.h"
#include "hooks/support/user_call_sites.h"
#include "loader/hook.h"

namespace detshim {

enum class PythonReading {
  time,
  id,
  other_clock, ///< that counts from somewhere, as deadlines do
};

/// True if a call at `caller` is the interpreter's own, for a line of the user's, which is
/// `call_site` then. Tells for the first thousand readings of each thread only, of the time (or an
/// id) and of other clocks: seeds are taken early, and a loop that times its steps pays no longer.
bool is_reading_of_users_python(const void* caller, PythonReading reading,
                                PythonCallSite& call_site);

/// True if the reading, whose place that is, is a package's in a function that seeds something. The
/// place is the package's line then.
bool is_reading_of_seeding_package(PythonCallSite& call_site);

/// True if it does not tell any more: the thread has read too often.
bool is_past_budget(PythonReading reading);

/// The same for what a line reads of the system, also through a function of Python's library that
/// does nothing else (os.path.getmtime, socket.create_connection).
bool is_input_of_users_python(const void* caller, PythonCallSite& call_site);

/// True if the interpreter itself calls, and for no line of the user's, or while it imports.
bool is_import_of_python(const void* caller);

/// What was read of a clock; of an id nothing.
struct ReadTime {
  bool is_there = false;
  int64_t seconds = 0, nanoseconds = 0;
};

/// Keeps such a reading, and sees to it that a seed that is made of it is replaced.
template <typename Call>
void note_python_clock(const Call& call, PythonReading reading, const ReadTime& time = {}) {
  PythonCallSite call_site;
  if (options().off() || !call.is_hooked())
    return;
  if (!is_reading_of_users_python(call.caller(), reading, call_site)) {
    if (time.is_there && is_past_budget(reading))
      note_python_reading(0, time.seconds, time.nanoseconds);
    if (reading != PythonReading::other_clock && options().pins() &&
        is_reading_of_seeding_package(call_site))
      keep_python_call(UserCall::clock, call.caller(), call_site);
    return;
  }
  const bool is_held = holds_python_lock();
  // Without, the interpreter waits for its lock, as it does whenever another thread wants it.
  if (!is_held && reading == PythonReading::other_clock)
    return;
  if (is_held) {
    if (time.is_there)
      note_python_reading(call_site.key(), time.seconds, time.nanoseconds);
    exchange_python_seeds(call.caller());
  }
  if (options().pins())
    keep_python_call(UserCall::clock, call.caller(), call_site,
                     reading == PythonReading::other_clock);
}

} // namespace detshim
