#include "common/arguments.h"

#include "common/record_schema.h"
#include "common/secrets.h"

#include <initializer_list>

namespace detshim {
namespace {

/// Up to the first `=`, `:` or space.
size_t name_length(const char* text) {
  size_t length = 0;
  while (text[length] != 0 && text[length] != '=' && text[length] != ':' && text[length] != ' ') ++length;
  return length;
}

/// `--wandb-key`, `ACCESS_KEY=…`
bool names_a_key(const char* text) {
  const size_t length = name_length(text);
  return (text[0] == '-' || text[length] == '=') && ends_in_key(text, length);
}

/// `-u name:password`, as curl has it.
bool names_a_user(const char* text, size_t length) {
  for (const char* option : {"-u", "-U", "--user", "--username", "--proxy-user"})
    if (text_length(option) == length && starts_with(text, option)) return true;
  return false;
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

/// mysql's clients take a password in the same argument: -pSECRET.
bool is_client_of_mysql(const char* program) {
  const char* const name = file_name(program);
  return starts_with(name, "mysql") || starts_with(name, "mariadb");
}

constexpr size_t most_shown = 400;

/// True for the path of a file here. Package managers name folders by hashes, and the verdict looks for the
/// script there.
bool is_local_path(const char* text) {
  return starts_with(text, "/") || starts_with(text, "./") || starts_with(text, "../");
}

/// Without the parts that were drawn; true if there are such.
bool add_shown(TextWriter& line, char* text) {
  bool is_hidden = false;
  size_t length = 0;
  for (size_t left = most_shown;;) {
    const size_t begin = is_local_path(text) ? 0 : drawn_part(text, length);
    if (length == 0 || begin >= left) {
      line.add_json(text, left);
      return is_hidden || length != 0; // behind what is shown
    }
    is_hidden = true;
    text[begin] = 0;
    line.add_json(text, left).add(hidden_argument);
    text += begin + length;
    left -= begin + length < left ? begin + length : left;
  }
}

} // namespace

Unshown add_arguments(TextWriter& line, char* text, size_t size, DrawnParts drawn) {
  Unshown unshown;
  text[size] = 0;
  add_key(line, "args").add('[');
  bool hide_next = false, hide_pair = false, is_about_keys = false;
  const bool is_mysql = is_client_of_mysql(text);
  for (char* at = text; at < text + size;) {
    const size_t length = text_length(at);
    if (at != text) line.add(',');
    const size_t name = name_length(at);
    const bool is_plain = is_too_plain_for_a_secret(at);
    const bool is_hidden =
        holds_a_login(at) || has_token(at) || (hide_next && !is_plain) || (hide_pair && contains(at, ":"));
    const bool has_pair = at[name] == '=' && names_a_user(at, name) && contains(at + name, ":");
    const bool secret = speaks_of_a_secret(at, length) || names_a_key(at) || has_pair;
    const bool cut = secret && !is_hidden && name < length && !is_too_plain_for_a_secret(at + name + 1);
    // `login -k value`
    hide_next = at[0] == '-' && name == length && (secret || (is_about_keys && same_text(at, "-k")));
    hide_pair = names_a_user(at, length);
    is_about_keys |= secret || ends_in_key(at, name);
    if (cut) at[name + 1] = 0;
    line.add('"');
    unshown.is_hidden |= is_hidden || cut;
    unshown.is_cut |= length > most_shown;
    if (is_hidden) {
      line.add(hidden_argument);
    } else if (is_mysql && starts_with(at, "-p") && length > 2) {
      line.add("-p").add(hidden_argument);
      unshown.is_hidden = true;
    } else {
      if (drawn == DrawnParts::hidden)
        unshown.is_hidden |= add_shown(line, at);
      else
        line.add_json(at, most_shown);
      line.add(cut ? hidden_argument : "");
    }
    line.add('"');
    at += length + 1;
    if (line.length() > 2600) {
      unshown.is_cut |= at < text + size;
      break;
    }
  }
  line.add(']');
  return unshown;
}

} // namespace detshim
