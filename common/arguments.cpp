#include "common/arguments.h"

#include <initializer_list>

namespace detshim {
namespace {

/// True if a word that announces a secret is in the text, in small or capital letters.
bool is_secret(const char* text) {
  for (const char* word : {"token", "secret", "pass", "pwd", "api_key", "api-key", "apikey", "credential",
                           "auth", "bearer", "private", "login", "cookie"})
    for (const char* at = text; *at != 0; ++at) {
      size_t same = 0;
      while (word[same] != 0 &&
             (at[same] >= 'A' && at[same] <= 'Z' ? at[same] | 0x20 : at[same]) == word[same])
        ++same;
      if (word[same] == 0) return true;
    }
  return false;
}

/// `--wandb-key`, `ACCESS_KEY=…`
bool names_a_key(const char* text) {
  size_t length = 0;
  while (text[length] != 0 && text[length] != '=') ++length;
  if (length < 3 || (text[0] != '-' && text[length] != '=')) return false;
  const char* end = text + length - 3;
  return (end[0] | 0x20) == 'k' && (end[1] | 0x20) == 'e' && (end[2] | 0x20) == 'y';
}

bool is_token_character(char c) {
  return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '-' ||
         c == '.';
}

/// True if part of the text looks like a token itself, whatever it is called: the beginnings that well-known
/// services give theirs, so that a leaked one can be found.
bool has_token(const char* text) {
  constexpr int shortest = 16; // of what follows the beginning
  for (const char* at = text; *at != 0; ++at) {
    if (at != text && is_token_character(at[-1])) continue;
    for (const char* begin : {"hf_", "sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-",
                              "nvapi-", "AKIA", "ASIA", "AIza", "ya29.", "eyJ"}) {
      if (!starts_with(at, begin)) continue;
      const char* end = at + text_length(begin);
      int length = 0;
      while (is_token_character(end[length]) && length < shortest) ++length;
      if (length == shortest) return true;
    }
  }
  return false;
}

} // namespace

void add_arguments(TextWriter& line, char* text, size_t size) {
  text[size] = 0;
  line.add(",\"args\":[");
  bool hide_next = false;
  for (char* at = text; at < text + size;) {
    const size_t length = text_length(at);
    if (at != text) line.add(',');
    const bool is_hidden = (contains(at, "://") && contains(at, "@")) || has_token(at);
    const bool secret = is_secret(at) || names_a_key(at);
    bool cut = false;
    if (secret && !hide_next && !is_hidden)
      for (size_t i = 0; i < length && !cut; ++i)
        if (at[i] == '=' || at[i] == ':' || at[i] == ' ') at[i + 1] = 0, cut = true;
    line.add('"');
    if (hide_next || is_hidden)
      line.add("<hidden>");
    else
      line.add_json(at, 400).add(cut ? "<hidden>" : "");
    line.add('"');
    hide_next = secret && at[0] == '-' && !cut;
    at += length + 1;
    if (line.length() > 2600) break;
  }
  line.add(']');
}

} // namespace detshim
