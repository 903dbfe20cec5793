#include "common/secrets.h"

#include "common/record_schema.h"

#include <initializer_list>

namespace detshim {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

struct Word {
  const char* text = nullptr;
  size_t length = 0;

  bool ends_in(const char* end) const {
    const size_t size = text_length(end);
    if (size > length) return false;
    for (size_t i = 0; i < size; ++i)
      if (lower(text[length - size + i]) != end[i]) return false;
    return true;
  }
  bool is(const char* other) const { return text_length(other) == length && ends_in(other); }
  bool is_one_of(std::initializer_list<const char*> words) const {
    for (const char* word : words)
      if (is(word)) return true;
    return false;
  }
};

/// Calls visit(word) for each: "HFToken2" has "HF" and "Token".
template <typename Visit>
void each_word(const char* text, size_t length, Visit visit) {
  for (size_t begin = 0; begin < length; ++begin) {
    if (!is_letter(text[begin])) continue;
    size_t end = begin + 1;
    for (; end < length && is_letter(text[end]); ++end) {
      if (!is_capital(text[end])) continue;
      const bool next_is_small = end + 1 < length && is_letter(text[end + 1]) && !is_capital(text[end + 1]);
      if (!is_capital(text[end - 1]) || next_is_small) break;
    }
    visit(Word{text + begin, end - begin});
    begin = end - 1;
  }
}

bool names_a_secret(const Word& word) {
  if (word.is_one_of(
          {"token", "secret",     "secrets",     "pass",    "passcode", "pwd",           "pw",
           "pat",   "credential", "credentials", "auth",    "oauth",    "authorization", "bearer",
           "login", "cookie",     "dsn",         "sshpass", "jwt",      "otp",           "webhook"}))
    return true;
  // Run together with what it is of: PGPASSWORD, --authtoken.
  for (const char* end : {"password", "passwd", "passphrase", "apikey", "accesskey", "privatekey",
                          "secretkey", "authtoken", "accesstoken", "apitoken"})
    if (word.ends_in(end)) return true;
  return false;
}

/// Words that announce one only where a name ends: `--pin`, not `--pin-memory`.
bool ends_a_secrets_name(const Word& word, const Word& before) {
  return word.is_one_of({"sig", "signature", "pin", "session", "private"}) ||
         (word.is("id") && before.is("session"));
}

enum class Kind { other, digit, small, capital };

constexpr Kind kind_of(char c) {
  if (c >= '0' && c <= '9') return Kind::digit;
  if (!is_letter(c)) return Kind::other;
  return is_capital(c) ? Kind::capital : Kind::small;
}

/// Where the first part begins that was drawn by its form, letters and digits by turns, whatever it is
/// called, and how long it is; length 0 without one. Hexadecimal digits alone are none: they name a revision.
size_t drawn_part(const char* text, size_t& length) {
  for (size_t begin = 0; text[begin] != 0; ++begin) {
    if (kind_of(text[begin]) == Kind::other) continue;
    size_t end = begin, changes = 0;
    bool has[4] = {}, is_hexadecimal = true;
    for (; kind_of(text[end]) != Kind::other; ++end) {
      const Kind kind = kind_of(text[end]);
      changes += end > begin && kind != kind_of(text[end - 1]) ? 1 : 0;
      has[static_cast<int>(kind)] = true;
      is_hexadecimal &= kind == Kind::digit || lower(text[end]) <= 'f';
    }
    length = end - begin;
    const bool has_both = has[static_cast<int>(Kind::small)] && has[static_cast<int>(Kind::capital)];
    const bool has_letters = has[static_cast<int>(Kind::small)] || has[static_cast<int>(Kind::capital)];
    const bool is_long = length >= (has_both ? 16 : 20);
    // Drawn from all letters and digits, three of five neighbours are of two kinds; from one case, two.
    if (is_long && has_letters && has[static_cast<int>(Kind::digit)] && !is_hexadecimal &&
        changes * 10 >= length * (has_both ? 4 : 3))
      return begin;
    begin = end - 1;
  }
  length = 0;
  return 0;
}

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
  return (c >= '0' && c <= '9') || is_letter(c) || c == '_' || c == '-' || c == '.';
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

bool speaks_of_a_secret(const char* text, size_t length) {
  const Word whole{text, length};
  if (whole.is("pwd")) return false; // where a shell stands
  size_t name = 0;
  while (name < length && text[name] != '=' && text[name] != ':' && text[name] != ' ') ++name;
  bool found = false;
  Word before;
  each_word(text, length, [&](const Word& word) {
    found |= names_a_secret(word) || (word.is("key") && before.is_one_of({"api", "access", "private"}));
    found |= word.text + word.length == text + name && ends_a_secrets_name(word, before);
    before = word;
  });
  return found;
}

bool ends_in_key(const char* name, size_t length) {
  Word last;
  each_word(name, length, [&last](const Word& word) { last = word; });
  return last.is("key") && last.text + last.length == name + length;
}

bool is_too_plain_for_a_secret(const char* value) {
  const Word whole{value, text_length(value)};
  if (whole.is_one_of({"true", "false", "yes", "no", "on", "off"})) return true;
  constexpr size_t most = 3;
  for (size_t i = 0; i < whole.length; ++i)
    if (value[i] < '0' || value[i] > '9') return false;
  return whole.length > 0 && whole.length <= most;
}

bool holds_a_login(const char* text) {
  bool is_address = false, has_colon = false;
  for (const char* at = text; *at != 0; ++at) {
    is_address |= starts_with(at, "://");
    if (*at == '@' && (is_address || has_colon)) return true;
    // Python multiplies matrices: "def f(a): return a @ b".
    if (*at == ' ' || *at == '\t' || *at == '\n')
      has_colon = false;
    else if (*at == ':' && at != text)
      has_colon = true;
  }
  return false;
}

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
