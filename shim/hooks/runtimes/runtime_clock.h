// A clock that a runtime reads for whoever asks it: OpenMP's, MPI's.
#pragma once

#include "hooks/runtimes/python_clocks.h"
#include "hooks/support/user_call_sites.h"
#include "loader/hook.h"

namespace detshim {

/// The body of its hook.
template <typename Call>
double read_clock_of_runtime(const Call& call) {
  if (!options().off() && call.is_hooked())
    note_user_call(UserCall::clock, call.caller());
  note_python_clock(call, PythonReading::other_clock);
  return call.real();
}

inline constexpr Description notes_clock_of_runtime = {
    .action = Action::observe, .summary = "Noted where the user's own code reads this clock."};

} // namespace detshim
