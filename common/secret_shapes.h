// What names a secret, and what is one by its form: of one word, whatever program it is for.
#pragma once

#include "common/text.h"

#include <cstddef>

namespace detshim {

/// TextPart of a text that is read where it lies: never closed with a zero.
struct TextPart {
  const char* begin = nullptr;
  const char* end = nullptr;

  constexpr size_t size() const { return static_cast<size_t>(end - begin); }
  constexpr bool is_empty() const { return begin == end; }
  bool starts_with(const char* start) const;
  bool is(const char* text) const;
  /// True if it has that character.
  bool has(char c) const;
  /// True if it has that text.
  bool has(const char* text) const;
};

inline TextPart text_part(const char* text) { return {text, text + text_length(text)}; }

/// True if a word of the text announces a secret: HF_TOKEN, --api-key, dbPassword, but not
/// max_tokens, which would hide a difference that matters. Words end at what is no letter, and
/// where small letters turn capital.
bool speaks_of_a_secret(const char* text, size_t length);

/// True if the last word of a name is "key": WANDB_KEY, but not monkey.
bool ends_in_key(const char* name, size_t length);

/// True for a value that can be none, whatever its name: a boolean, or a number of up to three
/// digits.
bool is_too_plain_for_a_secret(TextPart value);

/// True for "https://name@host", "name:password@host" and their like, but not for a version behind
/// an address: "git+https://host/name.git@v1".
bool holds_a_login(TextPart text);

/// True if part of the text is a token by the beginning that a well-known service gives its own, so
/// that a leaked one can be found.
bool has_token(TextPart text);

/// Where the value begins of the first name that speaks of a secret: behind `password=`,
/// `"token":`, `;AccountKey=`, `?X-Amz-Signature=`. nullptr without one.
const char* secret_value_in(TextPart text);

/// Where an address stops being one and becomes a secret: behind `hooks.slack.com/services/`,
/// `/token/`. nullptr where it does not.
const char* secret_path_in(TextPart text);

/// Where the first part begins that was drawn by its form, letters and digits by turns, whatever it
/// is called, and how long it is; length 0 without one. Hexadecimal digits alone do not count: they
/// name a revision.
size_t drawn_part(const char* text, size_t& length);

} // namespace detshim
