#include "common/secret_shapes.h"

#include <cstdint>

namespace detshim {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Tables are of arrays of characters, not of pointers: in the library a pointer costs a relocation
// in every process.
using ShortText = char[24];

/// A table of texts, of which most are told apart by how they begin.
template <size_t Count>
struct TextTable {
  ShortText texts[Count];
  uint64_t by_beginning[32] = {}; ///< a bit for each text, by its first character's last five bits

  constexpr explicit TextTable(const ShortText (&from)[Count]) : texts{} {
    static_assert(Count <= 64);
    for (size_t i = 0; i < Count; ++i) {
      for (size_t k = 0; k < sizeof(ShortText); ++k)
        texts[i][k] = from[i][k];
      by_beginning[texts[i][0] % 32] |= uint64_t{1} << i;
    }
  }
  /// Calls visit(text) for those that may begin with that letter, in either case, until it returns
  /// true; whether it has.
  template <typename Visit>
  constexpr bool any(char first, Visit visit) const {
    for (uint64_t bits = by_beginning[static_cast<unsigned char>(first) % 32]; bits != 0;
         bits &= bits - 1)
      if (visit(texts[__builtin_ctzll(bits)]))
        return true;
    return false;
  }
};

struct Word {
  const char* text = nullptr;
  size_t length = 0;

  bool ends_in(const char* end) const {
    const size_t size = text_length(end);
    if (size > length)
      return false;
    for (size_t i = 0; i < size; ++i)
      if (lower(text[length - size + i]) != end[i])
        return false;
    return true;
  }
  bool is(const char* other) const {
    size_t i = 0;
    while (i < length && lower(text[i]) == other[i])
      ++i;
    return i == length && other[i] == 0;
  }
  template <size_t Count>
  bool is_one_of(const TextTable<Count>& table) const {
    return length > 0 && table.any(*text, [this](const char* word) {
      return is(word);
    });
  }
};

/// Calls visit(word) for each: "HFToken2" has "HF" and "Token".
template <typename Visit>
void each_word(const char* text, size_t length, Visit visit) {
  for (size_t begin = 0; begin < length; ++begin) {
    if (!is_letter(text[begin]))
      continue;
    size_t end = begin + 1;
    for (; end < length && is_letter(text[end]); ++end) {
      if (!is_capital(text[end]))
        continue;
      const bool next_is_small =
          end + 1 < length && is_letter(text[end + 1]) && !is_capital(text[end + 1]);
      if (!is_capital(text[end - 1]) || next_is_small)
        break;
    }
    visit(Word{text + begin, end - begin});
    begin = end - 1;
  }
}

constexpr ShortText list_of_secret_words[] = {"token",
                                              "secret",
                                              "secrets",
                                              "pass",
                                              "passcode",
                                              "pwd",
                                              "pw",
                                              "pat",
                                              "cred",
                                              "creds",
                                              "credential",
                                              "credentials",
                                              "auth",
                                              "oauth",
                                              "bearer",
                                              "login",
                                              "cookie",
                                              "dsn",
                                              "sshpass",
                                              "jwt",
                                              "otp",
                                              "totp",
                                              "webhook",
                                              "sas",
                                              "mnemonic",
                                              "storepass",
                                              "keypass",
                                              "dbpass",
                                              "userpass",
                                              "pgpass",
                                              "requirepass",
                                              "proxypass",
                                              "passwrd",
                                              "pswd",
                                              "psw",
                                              "htpasswd",
                                              "passkey",
                                              "connstr",
                                              "connstring",
                                              "jwks",
                                              "kubeconfigdata",
                                              "encpass",
                                              "authorization"};
constexpr TextTable secret_words(list_of_secret_words);

/// How words end that were run together with what the secret is of: PGPASSWORD, --authtoken. What
/// waits for a prompt leaves its first letter out: expect "assword:".
constexpr ShortText secret_ends[] = {"assword",   "passwords",       "passwd",     "passphrase",
                                     "apikey",    "accesskey",       "privatekey", "secretkey",
                                     "authtoken", "accesstoken",     "apitoken",   "accountkey",
                                     "sharedkey", "connectionstring"};

/// Pairs of words that announce one only together.
struct PairOfWords {
  ShortText first, second;
};
constexpr PairOfWords secret_pairs[] = {
    {"api", "key"},        {"access", "key"},   {"private", "key"},     {"account", "key"},
    {"shared", "key"},     {"signing", "key"},  {"encryption", "key"},  {"api", "keys"},
    {"access", "keys"},    {"secret", "keys"},  {"private", "keys"},    {"auth", "keys"},
    {"auth", "tokens"},    {"api", "tokens"},   {"access", "tokens"},   {"hf", "tokens"},
    {"conn", "str"},       {"conn", "string"},  {"connection", "str"},  {"connection", "string"},
    {"connection", "uri"}, {"kube", "config"},  {"seed", "phrase"},     {"recovery", "code"},
    {"recovery", "codes"}, {"backup", "codes"}, {"publish", "profile"}, {"key", "data"},
    {"key", "material"},   {"key", "pem"},      {"private", "pem"},     {"account", "json"},
    {"sa", "json"}};

constexpr ShortText list_of_second_words[] = {"key",     "keys",   "tokens", "str",      "string",
                                              "uri",     "config", "phrase", "code",     "codes",
                                              "profile", "data",   "pem",    "material", "json"};
constexpr TextTable second_words(list_of_second_words);

constexpr bool are_second_words_listed() {
  for (const PairOfWords& pair : secret_pairs) {
    bool is_listed = false;
    for (const ShortText& word : list_of_second_words)
      is_listed |= same_text(word, pair.second);
    if (!is_listed)
      return false;
  }
  return true;
}
static_assert(are_second_words_listed());

/// Words that announce one only where a name ends: `--pin`, not `--pin-memory`.
constexpr ShortText list_of_closing_words[] = {"sig", "signature", "pin", "session", "private"};
constexpr TextTable closing_words(list_of_closing_words);

/// What stands beside "token" where it is one of a text that a model reads: --eos-token,
/// --token-type-ids.
constexpr ShortText list_of_kinds_of_text_tokens[] = {"eos", "bos", "pad",   "unk",    "mask",
                                                      "sep", "cls", "image", "special"};
constexpr TextTable kinds_of_text_tokens(list_of_kinds_of_text_tokens);
constexpr ShortText list_of_parts_of_text_tokens[] = {
    "id",     "ids",     "type",      "index",      "indices",
    "length", "len",     "limit",     "count",      "budget",
    "level",  "dropout", "embedding", "embeddings", "classification",
    "mixing", "merging", "pruning",   "classifier", "ring"};
constexpr TextTable parts_of_text_tokens(list_of_parts_of_text_tokens);

/// True if `next` goes on with the same name.
bool is_joined(const Word& word, const Word& next) {
  if (word.length == 0)
    return false;
  for (const char* at = word.text + word.length; at < next.text; ++at)
    if (*at != '_' && *at != '-')
      return false;
  return true;
}

bool names_a_secret(const Word& word, const Word& before) {
  if (word.is_one_of(secret_words))
    return true;
  constexpr size_t shortest_end = 6;
  if (word.length >= shortest_end)
    for (const ShortText& end : secret_ends)
      if (word.ends_in(end))
        return true;
  if (before.length == 0 || !word.is_one_of(second_words))
    return false;
  for (const PairOfWords& pair : secret_pairs)
    if (word.is(pair.second) && before.is(pair.first))
      return true;
  return false;
}

bool ends_a_secrets_name(const Word& word, const Word& before) {
  return word.is_one_of(closing_words) || (word.is("id") && before.is("session"));
}

constexpr ShortText list_of_booleans[] = {"true", "false", "yes", "no", "on", "off"};
constexpr TextTable booleans(list_of_booleans);

enum class Kind { other, digit, small, capital };

constexpr Kind kind_of(char c) {
  if (is_digit(c))
    return Kind::digit;
  if (!is_letter(c))
    return Kind::other;
  return is_capital(c) ? Kind::capital : Kind::small;
}

constexpr bool is_token_character(char c) {
  return is_digit(c) || is_letter(c) || c == '_' || c == '-' || c == '.';
}

/// The beginnings of tokens, as their services document them for scanners of leaked ones.
constexpr ShortText list_of_token_beginnings[] = {"hf_",
                                                  "sk-",
                                                  "sk_live_",
                                                  "sk_test_",
                                                  "rk_live_",
                                                  "rk_test_",
                                                  "whsec_",
                                                  "ghp_",
                                                  "gho_",
                                                  "ghu_",
                                                  "ghs_",
                                                  "ghr_",
                                                  "github_pat_",
                                                  "glpat-",
                                                  "gldt-",
                                                  "glrt-",
                                                  "glsa_",
                                                  "glc_",
                                                  "xapp-",
                                                  "nvapi-",
                                                  "AKIA",
                                                  "ASIA",
                                                  "AIza",
                                                  "ya29.",
                                                  "GOCSPX-",
                                                  "eyJ",
                                                  "npm_",
                                                  "pypi-",
                                                  "dckr_pat_",
                                                  "dckr_oat_",
                                                  "SG.",
                                                  "hvs.",
                                                  "hvb.",
                                                  "dop_v1_",
                                                  "doo_v1_",
                                                  "dapi",
                                                  "shpat_",
                                                  "shpss_",
                                                  "r8_",
                                                  "gsk_",
                                                  "xai-",
                                                  "pplx-",
                                                  "tskey-",
                                                  "lin_api_",
                                                  "ntn_",
                                                  "figd_",
                                                  "PMAK-",
                                                  "NRAK-",
                                                  "sntrys_",
                                                  "sntryu_",
                                                  "ATATT3",
                                                  "ATCTT3",
                                                  "AGE-SECRET-KEY-",
                                                  "wandb_v1_",
                                                  "pscale_tkn_",
                                                  "fo1_",
                                                  "ops_eyJ",
                                                  "rubygems_",
                                                  "tfp_",
                                                  "dp.pt.",
                                                  "dp.st.",
                                                  "xox",
                                                  "sq0"};
constexpr TextTable token_beginnings(list_of_token_beginnings);

/// True if what follows the beginning of a token is as long and as mixed as one. Names of packages
/// and of variables begin so too (sk-learn, npm_config_cache), and have small letters and marks
/// alone.
bool goes_on_as_a_token(const char* text, const char* end) {
  constexpr size_t shortest = 16;
  size_t length = 0;
  bool has_marks = false, is_mixed = false;
  for (; text + length < end && is_token_character(text[length]); ++length) {
    const Kind kind = kind_of(text[length]);
    has_marks |= kind == Kind::other;
    is_mixed |= kind == Kind::digit || kind == Kind::capital;
  }
  return length >= shortest && (is_mixed || !has_marks);
}

constexpr bool is_of_name(char c) {
  return is_digit(c) || is_letter(c) || c == '_' || c == '-' || c == '.';
}
constexpr bool is_quote(char c) { return c == '"' || c == '\'' || c == '\\'; }

/// True if a name with `=` or `:` behind it announces a secret.
bool announces_a_secret(TextPart name, bool has_equals) {
  // A definition's letter is no part of its name: java -Dtoken=, gradle -Ptoken=.
  if (name.size() > 2 && name.begin[0] == '-' && (name.begin[1] == 'D' || name.begin[1] == 'P'))
    name.begin += 2;
  if (speaks_of_a_secret(name.begin, name.size()))
    return true;
  return (has_equals || *name.begin == '-') && ends_in_key(name.begin, name.size());
}

/// The host and path of an address, behind its scheme; an empty part if it is no address.
TextPart address_in(TextPart text) {
  for (const char* at = text.begin; at + 3 <= text.end; ++at)
    if (at[0] == ':' && at[1] == '/' && at[2] == '/')
      return {at + 3, text.end};
  return {text.end, text.end};
}

/// Parts of addresses behind which a secret stands by itself, without a name.
struct SecretPlace {
  char text[28];
  bool needs_scheme; ///< such folders are on disk too: .git/hooks/
};
constexpr SecretPlace secret_places[] = {{"hooks.slack.com/services/", false},
                                         {"hooks.slack.com/", false},
                                         {"/api/webhooks/", false},
                                         {"webhook.office.com/", false},
                                         {"/webhook/", true},
                                         {"/webhooks/", true},
                                         {"/webhookb2/", true},
                                         {"/hooks/", true},
                                         {"api.telegram.org/bot", false},
                                         {"/with/key/", true},
                                         {"/v1/prod/", true},
                                         {"hc-ping.com/", false}};

} // namespace

bool TextPart::starts_with(const char* start) const {
  const char* at = begin;
  for (; *start != 0; ++start, ++at)
    if (at == end || *at != *start)
      return false;
  return true;
}

bool TextPart::is(const char* text) const {
  return text_length(text) == size() && starts_with(text);
}

bool TextPart::has(char c) const {
  for (const char* at = begin; at < end; ++at)
    if (*at == c)
      return true;
  return false;
}

bool TextPart::has(const char* text) const {
  for (TextPart rest = *this; rest.begin < end; ++rest.begin)
    if (rest.starts_with(text))
      return true;
  return false;
}

bool speaks_of_a_secret(const char* text, size_t length) {
  if (TextPart{text, text + length}.is("PWD"))
    return false; // where a shell stands
  size_t name = 0;
  while (name < length && text[name] != '=' && text[name] != ':' && text[name] != ' ')
    ++name;
  bool names_one = false;
  bool is_token = false; // the word before it, and nothing is known yet of which kind
  Word before;
  each_word(text, length, [&](const Word& word) {
    names_one |= is_token && !(is_joined(before, word) && word.is_one_of(parts_of_text_tokens));
    is_token =
        word.is("token") && !(is_joined(before, word) && before.is_one_of(kinds_of_text_tokens));
    names_one |= !word.is("token") && names_a_secret(word, before);
    names_one |= word.text + word.length == text + name && ends_a_secrets_name(word, before);
    before = word;
  });
  return names_one || is_token;
}

bool ends_in_key(const char* name, size_t length) {
  Word last;
  each_word(name, length, [&last](const Word& word) {
    last = word;
  });
  return last.is("key") && last.text + last.length == name + length;
}

bool is_too_plain_for_a_secret(TextPart value) {
  if (Word{value.begin, value.size()}.is_one_of(booleans))
    return true;
  constexpr size_t most = 3;
  for (const char* at = value.begin; at < value.end; ++at)
    if (!is_digit(*at))
      return false;
  return !value.is_empty() && value.size() <= most;
}

namespace {

bool address_holds_a_login(TextPart address) {
  // A password may have a slash, where nobody has encoded it. A port is digits.
  const char* end_of_host = address.begin;
  while (end_of_host < address.end && *end_of_host != '/')
    ++end_of_host;
  const TextPart host{address.begin, end_of_host};
  if (host.has('@'))
    return true;
  bool has_name = false;
  for (const char* at = host.begin; at < host.end; ++at)
    has_name |= *at == ':' && at + 1 < host.end && !is_digit(at[1]);
  return has_name && address.has('@');
}

} // namespace

bool holds_a_login(TextPart text) {
  const TextPart address = address_in(text);
  if (!address.is_empty())
    return address_holds_a_login(address);
  bool has_colon = false;
  for (const char* at = text.begin; at < text.end; ++at) {
    if (*at == '@' && has_colon)
      return true;
    // Python multiplies matrices: "def f(a): return a @ b".
    if (*at == ' ' || *at == '\t' || *at == '\n')
      has_colon = false;
    else if (*at == ':' && at != text.begin)
      has_colon = true;
  }
  return false;
}

bool has_token(TextPart text) {
  for (TextPart rest = text; rest.begin < rest.end; ++rest.begin) {
    if (rest.begin != text.begin && is_token_character(rest.begin[-1]))
      continue;
    if (rest.starts_with("-----BEGIN"))
      return true;
    const bool is_token = token_beginnings.any(*rest.begin, [&rest](const char* beginning) {
      return rest.starts_with(beginning) &&
             goes_on_as_a_token(rest.begin + text_length(beginning), rest.end);
    });
    if (is_token)
      return true;
  }
  return false;
}

namespace {

/// The first name in the text; empty without one. Names lie behind each other: what is left of the
/// text begins behind it.
TextPart next_name(TextPart text) {
  const char* begin = text.begin;
  while (begin < text.end && !is_of_name(*begin))
    ++begin;
  const char* end = begin;
  while (end < text.end && is_of_name(*end))
    ++end;
  return {begin, end};
}

/// A name in a text, and what stands around it.
struct NameWithMark {
  TextPart name;
  char before; ///< 0 at the beginning of the text
  char mark;   ///< behind it, past what closes a quote or an index; 0 at the end of the text
};

/// A way to announce a value that is a secret.
using Announcement = bool (*)(const NameWithMark&);

constexpr Announcement announcements[] = {
    // `password=`, `"token":`, `__environ['TOKEN']=`
    [](const NameWithMark& of) {
      return (of.mark == '=' || of.mark == ':') && announces_a_secret(of.name, of.mark == '=');
    },
    // ODBC's `;PWD=`
    [](const NameWithMark& of) {
      return of.before == ';' && of.mark == '=' && of.name.is("PWD");
    },
    // What the query of an address calls them: Azure's functions, maps, the weather.
    [](const NameWithMark& of) {
      const bool is_in_query = (of.before == '?' || of.before == '&') && of.mark == '=';
      return is_in_query &&
             (of.name.is("code") || of.name.is("sig") || of.name.is("key") || of.name.is("appid"));
    },
};

} // namespace

const char* secret_value_in(TextPart text) {
  for (TextPart rest = text;;) {
    const TextPart name = next_name(rest);
    if (name.is_empty())
      return nullptr;
    const char* mark = name.end;
    while (mark < text.end && (is_quote(*mark) || *mark == ']'))
      ++mark;
    const NameWithMark marked = {name, name.begin > text.begin ? name.begin[-1] : '\0',
                                 mark < text.end ? *mark : '\0'};
    for (const Announcement announces : announcements)
      if (announces(marked))
        return mark + 1;
    rest.begin = name.end;
  }
}

const char* secret_path_in(TextPart text) {
  const TextPart address = address_in(text);
  for (TextPart rest = text; rest.begin < rest.end; ++rest.begin)
    for (const SecretPlace& place : secret_places)
      if (*rest.begin == *place.text && rest.starts_with(place.text) &&
          (!place.needs_scheme || rest.begin >= address.begin))
        return rest.begin + text_length(place.text);
  TextPart path = address;
  while (path.begin < path.end && *path.begin != '/')
    ++path.begin;
  for (;;) {
    const TextPart name = next_name(path);
    if (name.is_empty())
      return nullptr;
    if (speaks_of_a_secret(name.begin, name.size()))
      return name.end < text.end ? name.end + 1 : nullptr;
    path.begin = name.end;
  }
}

namespace {

/// Letters and digits that nothing else stands between.
struct LettersAndDigits {
  size_t length = 0;
  size_t changes = 0; ///< from one kind to another
  bool has[4] = {};   ///< by Kind
  bool is_hexadecimal = true;

  explicit LettersAndDigits(const char* text) {
    for (; kind_of(text[length]) != Kind::other; ++length) {
      const Kind kind = kind_of(text[length]);
      changes += length > 0 && kind != kind_of(text[length - 1]) ? 1 : 0;
      has[static_cast<int>(kind)] = true;
      is_hexadecimal &= kind == Kind::digit || lower(text[length]) <= 'f';
    }
  }

  bool has_any(Kind kind) const { return has[static_cast<int>(kind)]; }

  /// Drawn from all letters and digits, three of five neighbours are of two kinds; from one case,
  /// two.
  bool looks_drawn() const {
    const bool has_both = has_any(Kind::small) && has_any(Kind::capital);
    const bool has_letters = has_any(Kind::small) || has_any(Kind::capital);
    const size_t least = has_both ? 16 : 20;
    const size_t least_changes_of_ten = has_both ? 4 : 3;
    return length >= least && has_letters && has_any(Kind::digit) && !is_hexadecimal &&
           changes * 10 >= length * least_changes_of_ten;
  }
};

} // namespace

size_t drawn_part(const char* text, size_t& length) {
  for (size_t begin = 0; text[begin] != 0; ++begin) {
    const LettersAndDigits part(text + begin);
    length = part.length;
    if (part.looks_drawn())
      return begin;
    if (part.length > 0)
      begin += part.length - 1;
  }
  length = 0;
  return 0;
}

} // namespace detshim
