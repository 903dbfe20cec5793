// What names a secret, and what is one by its form: the same for arguments and variables, in the log and in
// the environment of a run.
#pragma once

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

/// Where the first part begins that was drawn by its form, letters and digits by turns, whatever it is
/// called, and how long it is; length 0 without one. Hexadecimal digits alone are none: they name a revision.
size_t drawn_part(const char* text, size_t& length);

/// True for "https://name@host", "name:password@host" and their like.
bool holds_a_login(const char* text);

} // namespace detshim
