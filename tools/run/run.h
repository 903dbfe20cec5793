// How a program is run with libdetshim.so in front of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

struct RunOptions {
  std::optional<std::string> seed, mode, policy, log, disable, library;
  std::vector<std::string> freeze;        ///< call sites of clocks
  std::optional<std::string> freeze_from; ///< a log whose call sites of clocks are taken
  bool quiet = false;
  bool keep_aslr = false;
  bool trap_syscalls = false;
  std::optional<std::string> heap_library; ///< preloaded behind the library
  bool allow_uncovered = false;     ///< a program that the library does not come up in is run all the same
  std::size_t environment_size = 0; ///< a variable is added that makes it as large; 0: none is
  bool print_environment = false;   ///< prints the variables that the program would get, and runs nothing
  std::vector<std::string> command; ///< the program and its arguments
};

/// Becomes the program, with libdetshim.so in front. Returns only if that fails.
int run(const RunOptions& options);

/// What the environment takes of the stack, above all frames: bytes of its variables and of pointers to them.
std::size_t environment_size();

/// Why the options cannot be taken: throws UsageError.
void check_run(const RunOptions& options);

} // namespace detshim
