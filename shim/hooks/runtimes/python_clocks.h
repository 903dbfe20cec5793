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

/// The same for what a line reads of the system, also through a function of Python's library that
/// does nothing else (os.path.getmtime), and of the network through whatever asks it.
bool is_input_of_users_python(UserCall kind, const void* caller, PythonCallSite& call_site);

/// True where a line of the user's Python asks whether there is something now, without waiting:
/// `connection.poll()`, `queue.empty()`. `caller`: of poll.
bool asks_at_once(const void* caller, PythonCallSite& call_site);

/// True if the interpreter itself calls, and for no line of the user's, or while it imports.
bool is_import_of_python(const void* caller);

/// What was read of a clock; of an id nothing.
struct ReadTime {
  bool is_there = false;
  int64_t seconds = 0, nanoseconds = 0;
};

/// Keeps a reading that a call at `caller` made, and sees to it that a seed that is made of it is
/// replaced.
void note_python_clock(const void* caller, PythonReading reading, const ReadTime& time);

template <typename Call>
void note_python_clock(const Call& call, PythonReading reading, const ReadTime& time = {}) {
  if (!options().off() && call.is_hooked())
    note_python_clock(call.caller(), reading, time);
}

} // namespace detshim
