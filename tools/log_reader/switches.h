// Which variables of the user's speak of determinism, and whether anybody has asked for them.
#pragma once

#include "log_reader/log.h"

#include <string>
#include <vector>

namespace detshim {

/// Whether a switch can have had an effect on the run.
enum class SwitchEffect {
  read,       ///< a library or a program asked for it by getenv
  set_late,   ///< the program set it once it had been read
  named,      ///< a file of Python's that the run read has its name: such reads are not seen
  never_read, ///< nothing asked for it, and no such file names it
  not_seen,   ///< nothing asked for it; which files of Python's the run read is not known
  misspelt,   ///< it has nearly the name of a variable that the library sets
};

/// "never_read".
const char* name_of(SwitchEffect effect);

struct SwitchUse {
  std::string name;
  SwitchEffect effect = SwitchEffect::read;
  std::vector<std::string> files; ///< that asked for it, or that name it
  std::string meant;              ///< misspelt: the name of the library's variable
  std::optional<Call> set;        ///< by the program, the last time
};

/// The user's own switches of a run, by name. Those that the library sets are none of them.
std::vector<SwitchUse> find_switches(const Log& log);

} // namespace detshim
