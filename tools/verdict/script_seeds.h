// Scripts of a run's processes that seed a generator from a clock or from the process's id.
//
// Perl, Ruby, R and the others keep what they make of a seed to themselves: such a run looks like one with a
// fixed seed. Whether the script does it, its text says; whether that line ran, nobody does.
#pragma once

#include "log_reader/log.h"
#include "log_reader/summary.h"

#include <string>
#include <vector>

namespace detshim {

struct ScriptSeed {
  std::string place;        ///< "train.pl:3", or "perl -e"
  std::string file;         ///< of the script; empty without one
  std::string text;         ///< the statement, or the argument: not safe to print; empty: it cannot be read
  bool is_argument = false; ///< a process was started with a seed that is the time at which the run began
};

/// Those of all processes, each once, and of a script the first. A script that cannot be read may be one. One
/// has none whose interpreter hands its seeds to libc, where they are told.
std::vector<ScriptSeed> find_script_seeds(const Log& log, const Summary& summary);

/// True if a program of that name runs scripts.
bool is_interpreter(const std::string& program);

/// The text of `python -c text`; empty if no process of the run was started so. Several are joined.
std::vector<std::string> python_command_texts(const Log& log);

} // namespace detshim
