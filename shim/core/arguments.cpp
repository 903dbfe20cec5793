#include "core/arguments.h"

#include <initializer_list>

namespace detshim {
namespace {

/// True if a word that announces a secret is in the text, in small or capital letters.
bool is_secret(const char* text) {
  for (const char* word : {"token", "secret", "pass", "pwd", "api_key", "api-key", "apikey", "credential",
                           "auth", "bearer", "private", "login"})
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

} // namespace

void add_arguments(TextWriter& line, char* text, size_t size) {
  text[size] = 0;
  line.add(",\"args\":[");
  bool hide_next = false;
  for (char* at = text; at < text + size;) {
    const size_t length = text_length(at);
    if (at != text) line.add(',');
    const bool has_login = contains(at, "://") && contains(at, "@");
    const bool secret = is_secret(at) || names_a_key(at);
    bool cut = false;
    if (secret && !hide_next && !has_login)
      for (size_t i = 0; i < length && !cut; ++i)
        if (at[i] == '=' || at[i] == ':' || at[i] == ' ') at[i + 1] = 0, cut = true;
    line.add('"');
    if (hide_next || has_login)
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
