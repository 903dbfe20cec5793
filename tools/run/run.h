// How a program is run with libdetshim.so in front of it.
#pragma once

#include "common/environment_room.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace detshim {

/// "enforce, record, observe, strict or off"
std::string one_of(std::span<const char* const> values);

/// Of every verb and of the plugin for pytest, where none is given.
inline constexpr const char* default_seed = "42";

struct RunOptions {
  std::optional<std::string> seed, mode, policy, log, disable, library;
  std::vector<std::string> freeze;        ///< call sites of clocks
  std::optional<std::string> freeze_from; ///< a log whose call sites of clocks are taken
  unsigned clock_step_ms = 0; ///< that passes at each reading there; 0: as the library has it
  bool quiet = false;
  bool check = false; ///< run_and_check()
  bool keep_aslr = false;
  bool allow_uncovered =
      false; ///< a program that the library does not come up in is run all the same
  std::optional<EnvironmentSize> users; ///< of the user's variables, where some were changed since
  bool print_environment =
      false; ///< prints the variables that the program would get, and runs nothing
  std::vector<std::string> command; ///< the program and its arguments
};

/// Becomes the program, with libdetshim.so in front. Returns only if that fails.
int run(const RunOptions& options);

/// The size of this environment without what detshim makes.
EnvironmentSize size_of_users_variables();

/// What a program that cannot be run would be run by: "; python3 train.py runs it". Empty for all
/// but scripts.
std::string hint_for(const std::string& program);

/// Why the options cannot be taken: throws UsageError.
void check_run(const RunOptions& options);

} // namespace detshim
