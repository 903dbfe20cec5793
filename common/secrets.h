// What is written of a program's arguments and of its variables: everything but secrets. The log,
// the environment of a run, its evidence and reports all ask here. How secrets are found:
// command_lines.h, secret_shapes.h.
#pragma once

#include "common/command_lines.h"
#include "common/secret_shapes.h"
#include "common/text.h"

#include <cstddef>

namespace detshim {

/// True if nothing of a variable's value may be written, no hash either: a hash answers who
/// guesses. By its name, or by what the value holds: logins, tokens, names of secrets with their
/// values, options of programs.
bool is_secret_variable(const char* name, size_t length, const char* value);

/// In place of what is not shown.
inline constexpr const char* hidden_argument = "<hidden>";

/// What is done with parts that were drawn by their form: the environment of a run hashes them
/// itself.
enum class DrawnParts { shown, hidden };

/// What of the arguments is not shown.
struct Unshown {
  bool is_cut = false;    ///< the end of one, or the last of them
  bool is_hidden = false; ///< secrets
};

/// Adds the key `args`: `size` bytes of arguments, each closed with a zero, with room for one byte
/// more behind them. Parts that are secrets are not shown. Changes the text. `command` goes on with
/// the words behind them.
Unshown add_arguments(TextWriter& line, char* text, size_t size, DrawnParts drawn,
                      CommandLine& command);
Unshown add_arguments(TextWriter& line, char* text, size_t size,
                      DrawnParts drawn = DrawnParts::shown);

} // namespace detshim
