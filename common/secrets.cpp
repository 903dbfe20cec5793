#include "common/secrets.h"

#include "common/text.h"

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

} // namespace

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

} // namespace detshim
