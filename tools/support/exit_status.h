// How the command ends.
#pragma once

#include <stdexcept>

namespace detshim {

/// Exit statuses, the same for every verb. `run` ends in the program's own status, since it becomes
/// it.
enum ExitStatus {
  done = 0,
  found_different = 1,   ///< log diff
  wrong_usage = 2,       ///< or nothing to read or to compare
  check_failed = 3,      ///< log --check, scan
  cannot_execute = 126,  ///< run
  program_missing = 127, ///< run
};

/// What the user can put right: printed as one line, then the command ends with `wrong_usage`.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace detshim
