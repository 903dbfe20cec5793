// A program's arguments as a start record shows them.
#pragma once

#include "common/text.h"

#include <cstddef>

namespace detshim {

/// In place of what is not shown.
inline constexpr const char* hidden_argument = "<hidden>";

/// What is done with parts that were drawn by their form: the environment of a run hashes them itself.
enum class DrawnParts { shown, hidden };

/// What of the arguments is not shown.
struct Unshown {
  bool is_cut = false;    ///< the end of one, or the last of them
  bool is_hidden = false; ///< secrets
};

/// Adds the key `args`: `size` bytes of arguments, each closed with a zero, with room for one byte more
/// behind them. One that speaks of a secret (common/secrets.h) is shown up to its first `=`, `:` or space; an
/// option that does hides the argument after it too. Changes the text.
Unshown add_arguments(TextWriter& line, char* text, size_t size, DrawnParts drawn = DrawnParts::shown);

} // namespace detshim
