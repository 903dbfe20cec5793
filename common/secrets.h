// What names a secret, and what is one by its form: the same for arguments and variables, in the log and in
// the environment of a run. And a program's arguments as a start record shows them.
#pragma once

#include "common/text.h"

#include <cstddef>

namespace detshim {

/// True if a word of the text announces a secret: HF_TOKEN, --api-key, dbPassword, but not max_tokens, which
/// would hide a difference that matters. Words end at what is no letter, and where small letters turn
/// capital.
bool speaks_of_a_secret(const char* text, size_t length);

/// True if the last word of a name is "key": WANDB_KEY, but not monkey.
bool ends_in_key(const char* name, size_t length);

/// True for a value that can be none, whatever its name: a boolean, or a number of up to three digits.
bool is_too_plain_for_a_secret(const char* value);

/// True for "https://name@host", "name:password@host" and their like.
bool holds_a_login(const char* text);

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
/// behind them. One that speaks of a secret is shown up to its first `=`, `:` or space; an
/// option that does hides the argument after it too. Changes the text.
Unshown add_arguments(TextWriter& line, char* text, size_t size, DrawnParts drawn = DrawnParts::shown);

} // namespace detshim
