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

/// What is known of a place of Python code that reads clocks: a loop that times its steps pays for
/// one look.
struct KnownReading {
  uint64_t name;    ///< of the place; 0: none
  bool is_users;    ///< else nobody's: a package's own matter
  ReadingPlace at;  ///< what of a user's place is noted
  PythonCall* kept; ///< nullptr: none is kept there
};

/// What is known of the place where the calling thread is; nullptr if it was not looked at.
const KnownReading* known_reading(PythonReading reading);

/// Remembers what was found of the place. What a function of Python's library reads goes by who
/// called it, if the user's frame is near.
void remember_reading(PythonReading reading, const PythonCallSite& call_site,
                      const KnownReading& found);

/// True if a call at `caller` is the interpreter's own, for a line of the user's, which is
/// `call_site` then. Looks at a thousand places of each thread that are not remembered, of the time
/// (or an id) and of other clocks.
bool is_reading_of_users_python(const void* caller, PythonReading reading,
                                PythonCallSite& call_site);

/// True if the reading, whose place that is, is a package's in a function that seeds something. The
/// place is the package's line then.
bool is_reading_of_seeding_package(PythonCallSite& call_site);

/// True if it does not tell any more: the thread has read too often.
bool is_past_budget(PythonReading reading);

/// The same for what a line reads of the system, also through a function of Python's library that
/// does nothing else (os.path.getmtime), and of the network through whatever asks it.
bool is_input_of_users_python(UserCall kind, const void* caller, PythonCallSite& call_site);

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
  const bool may_be_deadline = reading == PythonReading::other_clock;
  if (const KnownReading* const known = known_reading(reading)) {
    if (known->is_users && time.is_there)
      note_python_reading(known->at, time.seconds, time.nanoseconds);
    if (known->kept != nullptr)
      repeat_python_call(*known->kept, call.caller(), may_be_deadline);
    return;
  }
  if (!is_reading_of_users_python(call.caller(), reading, call_site)) {
    if (time.is_there && is_past_budget(reading))
      note_python_reading({}, time.seconds, time.nanoseconds);
    KnownReading found = {};
    if (!may_be_deadline && options().pins() && is_reading_of_seeding_package(call_site))
      found.kept = keep_python_call(UserCall::clock, call.caller(), call_site);
    remember_reading(reading, call_site, found);
    return;
  }
  const bool is_held = holds_python_lock();
  // Without, the interpreter waits for its lock, as it does whenever another thread wants it.
  if (!is_held && may_be_deadline)
    return;
  KnownReading found = {};
  found.is_users = is_held;
  if (is_held) {
    found.at = {call_site.key(), instruction_of_users_python()};
    if (time.is_there)
      note_python_reading(found.at, time.seconds, time.nanoseconds);
    exchange_python_seeds(call.caller());
  }
  if (options().pins())
    found.kept = keep_python_call(UserCall::clock, call.caller(), call_site, may_be_deadline);
  if (is_held)
    remember_reading(reading, call_site, found);
}

} // namespace detshim
