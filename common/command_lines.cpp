#include "common/command_lines.h"

#include "common/cryptography.h"
#include "common/version_range.h"

#include <cstdint>

namespace detshim {

/// A program that takes secrets in words whose names do not show it. All but the names are lists as
/// is_one_of() reads them. Arrays, not pointers: common/secret_shapes.cpp.
struct SecretProgram {
  char names[72];
  char joined[20]; ///< options whose value stands in the same word: -pVALUE
  char next[44];   ///< options whose value is the next word
  char logins[36]; ///< options whose value, in either place, is one where it has `:`, `%` or `,`
  char flags[28];  ///< letters that may stand in front of such a letter: curl -sSu
  char after[44];  ///< words, or letters of options, behind which every operand is one
  bool names_then_values =
      false;                    ///< a name that speaks of a secret, and the value in the next word
  bool ends_at_operand = false; ///< a wrapper: what follows is another's
  bool runs_text = false;       ///< a word with blanks is a command
  bool echoes = false;          ///< its operands are secrets where what follows reads such
};

namespace {

constexpr SecretProgram programs[] = {
    // Databases.
    {"mysql*|mariadb*", "-p", "", "", "", "", true},
    {"mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|mongostat", "-p", "-p", "", "",
     ""},
    {"redis-cli|valkey-cli|keydb-cli", "-a", "-a", "", "", "AUTH|auth", true},
    {"sqlcmd|bcp|osql|tsql|fisql", "-P", "-P", "", "", ""},
    {"sqlplus|sqlldr|expdp|impdp|rman|isql", "", "", "", "", "*"},
    {"beeline|cqlsh|snowsql|influx|arangosh", "-p", "-p|-t", "", "", ""},
    {"ldap*", "-w", "-w|-s", "", "xZvncHLa", ""},
    {"rabbitmqctl", "", "", "", "", "add_user|change_password|authenticate_user"},
    {"rabbitmqadmin", "-p", "-p", "", "", ""},
    {"mosquitto_pub|mosquitto_sub|mosquitto_rr", "", "-P", "", "", ""},
    // Requests.
    {"curl", "", "", "-u|-U|-E|--cert|--proxy-cert", "sSfLkvIiGgNOJRaj#0", ""},
    {"http|https|xh|xhs", "-a", "-a", "", "", ""},
    {"lftp", "", "-u", "-u", "", ""},
    {"ncftp|ncftpget|ncftpput", "-p", "-p", "", "", ""},
    // Windows' shares and desktops.
    {"smbclient|rpcclient|smbget|smbcacls|smbtree|winexe|net|nmblookup", "", "", "-U", "", ""},
    {"xfreerdp|wlfreerdp|xfreerdp3", "/p:", "", "", "", ""},
    {"rdesktop|evil-winrm|crackmapexec|netexec|nxc", "-p", "-p|-H", "", "", ""},
    {"plink|pscp|psftp|putty", "", "-pw", "", "", ""},
    // Archives and documents.
    {"7z|7za|7zr|7zz|p7zip", "-p", "", "", "", ""},
    {"rar|unrar", "-p|-hp", "", "", "", ""},
    {"zip|zipcloak", "-P", "-P", "", "rqjmve0123456789ouy", ""},
    {"unzip|funzip", "-P", "-P", "", "qoanjltuvCLX", ""},
    {"pdftotext|pdfimages|pdftoppm|pdfinfo|pdftocairo|pdftohtml", "", "-upw|-opw", "", "", ""},
    {"pdftk", "", "", "", "", "", true},
    // Keys and accounts.
    {"openssl", "", "-k|-K|-passin|-passout|-psk|-srppass", "", "", "passwd"},
    {"ssh-keygen", "-N|-P", "-N|-P", "", "", ""},
    {"htpasswd|htdbm", "", "", "", "", "-b"},
    {"wpa_passphrase|mkpasswd", "", "", "", "", "*"},
    {"slappasswd", "", "-s", "", "", ""},
    {"useradd|usermod", "", "-p", "", "", ""},
    {"kadmin|kinit", "-w", "-w|-pw", "", "", ""},
    {"ipmitool|ipmipower|ipmiconsole", "-P", "-P", "", "", ""},
    {"snmp*", "-A|-X|-c", "-A|-X|-c", "", "", ""},
    {"nmcli", "", "", "", "", "", true},
    // Services.
    {"twine", "-p", "-p", "", "", ""},
    {"kubectl|oc", "--from-literal=", "--from-literal", "", "", ""},
    {"mc|mcli", "", "", "", "", "set|add"},
    {"wandb|comet|neptune|swanlab|huggingface-cli|hf", "", "", "", "", "login"},
    {"cargo", "", "", "", "", "login"},
    {"poetry", "", "", "", "", "http-basic*|pypi-token*"},
    {"rclone", "", "", "", "", "obscure"},
    {"ansible-vault", "", "", "", "", "encrypt_string"},
    {"gcloud", "", "", "", "", "activate-refresh-token"},
    {"virsh", "", "", "", "", "secret-set-value"},
    {"yt-dlp|youtube-dl|gallery-dl", "-p", "-p", "", "", ""},
    {"sendemail|sendEmail", "", "-xp", "", "", ""},
    {"vault", "", "", "", "", "login|put|write|patch"},
    {"bw", "", "", "", "", "login|unlock"},
    {"cf", "", "-p", "", "", "auth"},
    {"doctl|flyctl|vercel", "", "-t", "", "", "token"},
    {"sshpass", "-p", "-p", "", "", "", false, true},
    // What runs words with blanks as commands.
    {"ssh|autossh|mosh|watch|parallel|tmux|screen|su|runuser|script|sg|xargs", "", "", "", "", "",
     false, false, true},
    {"echo|printf", "", "", "", "", "", false, false, false, true},
};

/// A bit for each program, by the last five bits of a letter that its names begin with.
struct ProgramsByLetter {
  uint64_t of[32] = {};

  constexpr ProgramsByLetter() {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i)
      for (const char* at = programs[i].names; *at != 0; ++at)
        if (at == programs[i].names || at[-1] == '|')
          of[*at % 32] |= uint64_t{1} << i;
  }
};
static_assert(sizeof programs / sizeof *programs <= 64);
constexpr ProgramsByLetter programs_by_letter;

constexpr int deepest = 6; // texts within texts

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
constexpr bool ends_a_command(char c) {
  return c == ';' || c == '|' || c == '&' || c == '(' || c == ')' || c == '\n' || c == '`';
}

bool has_blank(TextPart part) {
  for (const char* at = part.begin; at < part.end; ++at)
    if (is_blank(*at))
      return true;
  return false;
}

/// Without what shells and code put around a word.
TextPart without_marks(TextPart word) {
  const auto is_mark = [](char c) {
    return is_quote(c) || c == '\\' || c == '(' || c == ')' || c == '{' || c == '}' || c == '[' ||
           c == ']' || c == ',';
  };
  while (!word.is_empty() && is_mark(*word.begin))
    ++word.begin;
  while (!word.is_empty() && is_mark(word.end[-1]))
    --word.end;
  return word;
}

/// A word as what reads lists takes it; cut where it is longer than any that they have.
struct NameText {
  explicit NameText(TextPart part) {
    for (size_t i = 0; i < part.size() && i + 1 < sizeof text; ++i)
      text[i] = part.begin[i];
  }
  const char* c_str() const { return text; }

  char text[48] = {};
};

bool is_in(const char* list, TextPart word) {
  return is_one_of(NameText(word).c_str(), list, false);
}

TextPart file_name_of(TextPart path) {
  for (const char* at = path.begin; at < path.end; ++at)
    if (*at == '/')
      path.begin = at + 1;
  return path;
}

/// Where the quote ends that begins there, nullptr where it does not: an apostrophe.
const char* end_of_quote(const char* begin, const char* end) {
  for (const char* at = begin + 1; at < end; ++at) {
    if (*at == '\\' && *begin != '\'')
      ++at;
    else if (*at == *begin)
      return at;
  }
  return nullptr;
}

/// How much of the word is one of the options in the list, its value not counted; 0 without one.
size_t option_in(const char* list, const char* flags, TextPart word) {
  while (*list != 0) {
    size_t size = 0;
    while (list[size] != 0 && list[size] != '|')
      ++size;
    if (word.size() >= size &&
        TextPart{word.begin, word.begin + size}.is(NameText({list, list + size}).c_str()))
      return size;
    // A letter behind others that take no value: -sSu.
    if (size == 2 && list[0] == '-' && *word.begin == '-')
      for (size_t i = 1; i < word.size() && text_part(flags).has(word.begin[i]); ++i)
        if (i + 1 < word.size() && word.begin[i + 1] == list[1])
          return i + 2;
    list += size + (list[size] == '|' ? 1 : 0);
  }
  return 0;
}

/// `-u name:password`, as curl has it. Numbers of a user and a group do not count.
bool names_a_user(TextPart name) { return is_in("-u|-U|--user|--username|--proxy-user", name); }

bool is_login(TextPart value, bool by_any_mark) {
  if (value.has("://") || value.starts_with("+"))
    return false; // date -u +%H:%M
  bool has_mark = false, is_number = true;
  for (const char* at = value.begin; at < value.end; ++at) {
    const bool is_mark = *at == ':' || (by_any_mark && (*at == '%' || *at == ','));
    has_mark |= is_mark;
    is_number &= is_mark || (*at >= '0' && *at <= '9');
  }
  return has_mark && !is_number;
}

/// Up to the first `=`, `:` or blank.
TextPart name_in(TextPart word) {
  const char* end = word.begin;
  while (end < word.end && *end != '=' && *end != ':' && !is_blank(*end))
    ++end;
  return {word.begin, end};
}

/// True behind these words for what a program keeps: `aws configure set aws_secret_access_key
/// value`.
bool is_word_of_configuring(TextPart word) {
  return is_in("config|configure|set|modify|--set|config:set", word);
}

bool is_option(TextPart word) { return !word.is_empty() && *word.begin == '-'; }

bool speaks(TextPart part) { return speaks_of_a_secret(part.begin, part.size()); }

/// True if what follows in a text reads a secret that is written to it: the rest of a pipeline.
bool reads_a_secret(TextPart rest) {
  for (const char* at = rest.begin; at < rest.end; ++at)
    if (*at == ';' || *at == '\n' || (*at == '&' && at + 1 < rest.end && at[1] == '&'))
      rest.end = at;
  return speaks(rest) || rest.has("-stdin") || rest.has("sudo -S") || rest.has("cryptsetup") ||
         rest.has("passphrase") || rest.has("gpg");
}

/// True for what stands between two words of a command line in code: `['mysql', '-pvalue']`,
/// `spawn("mysql", ["-pvalue"])`.
bool separates_words_of_a_list(TextPart part) {
  bool has_comma = false;
  for (const char* at = part.begin; at < part.end; ++at) {
    has_comma |= *at == ',';
    if (!is_blank(*at) && *at != ',' && *at != '[' && *at != '(')
      return false;
  }
  return has_comma;
}

bool is_of_a_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// True if the text has the name other than behind a `$`: `P=value; mysql -p$P`, `for P in value`.
bool gives_a_value_to(TextPart name, TextPart text) {
  for (const char* at = text.begin; at + name.size() <= text.end; ++at) {
    const char before = at == text.begin ? ' ' : at[-1];
    if (before == '$' || before == '{' || is_of_a_name(before))
      continue;
    const char* const end = at + name.size();
    const bool is_same = __builtin_memcmp(at, name.begin, name.size()) == 0;
    if (is_same && (end == text.end || !is_of_a_name(*end)))
      return true;
  }
  return false;
}

/// True if a shell makes what is hidden there out of other words of the text: of a variable that it
/// sets, of an argument of a function or a script, of what a command prints.
bool is_made_of_other_words(TextPart part, TextPart text) {
  for (const char* at = part.begin; at < part.end; ++at) {
    if (*at == '`')
      return true;
    if (*at != '$')
      continue;
    const char* begin = at + 1;
    if (begin < part.end && *begin == '{')
      ++begin;
    const char* end = begin;
    while (end < part.end && is_of_a_name(*end))
      ++end;
    const bool is_variable = begin < end && (*begin < '0' || *begin > '9');
    if (!is_variable || gives_a_value_to({begin, end}, text))
      return true;
  }
  return false;
}

bool hides_what_was_given_before(TextPart text, const HiddenParts& hidden) {
  for (int i = 0; i < hidden.count(); ++i) {
    const bool is_within = hidden[i].begin >= text.begin && hidden[i].end <= text.end;
    if (is_within && is_made_of_other_words(hidden[i], text))
      return true;
  }
  return false;
}

} // namespace

void HiddenParts::add(TextPart part) {
  if (part.is_empty())
    return;
  int first = 0;
  while (first < count_ && parts_[first].end < part.begin)
    ++first;
  int last = first; // those from first to before last are joined with it
  for (; last < count_ && parts_[last].begin <= part.end; ++last) {
    if (parts_[last].begin < part.begin)
      part.begin = parts_[last].begin;
    if (parts_[last].end > part.end)
      part.end = parts_[last].end;
  }
  if (last > first) {
    parts_[first] = part;
    for (int i = last; i < count_; ++i)
      parts_[first + 1 + i - last] = parts_[i];
    count_ -= last - first - 1;
  } else if (count_ < most) {
    for (int i = count_; i > first; --i)
      parts_[i] = parts_[i - 1];
    parts_[first] = part;
    ++count_;
  } else if (first == most) {
    parts_[most - 1].end = part.end;
  } else {
    add({part.begin, parts_[first].end});
  }
}

bool CommandLine::is_hidden_by_the_word_before(Next next, TextPart word, TextPart bare,
                                               const Place& place, HiddenParts& hidden) {
  switch (next) {
  case Next::anything:
    return false;
  case Next::value:
    if (is_option(bare))
      return false;
    [[fallthrough]];
  case Next::secret:
    if (is_too_plain_for_a_secret(bare))
      return false;
    break;
  case Next::login:
  case Next::marked_login:
    if (!is_login(bare, next == Next::marked_login))
      return false;
    break;
  case Next::command:
    if (!has_blank(word))
      return false;
    if (place.depth == deepest)
      break;
    read_line(place.depth == 0 ? word : bare, place.depth + 1, true, hidden);
    return true;
  }
  hidden.add(word);
  return true;
}

bool CommandLine::is_hidden_behind_an_option(size_t option, TextPart word, TextPart bare,
                                             HiddenParts& hidden) {
  const TextPart value{bare.begin + option, word.end};
  if (!is_too_plain_for_a_secret({value.begin, bare.end}))
    hidden.add(value);
  return true;
}

bool CommandLine::is_hidden_as_a_login(size_t option, TextPart word, TextPart bare,
                                       HiddenParts& hidden) {
  const TextPart value{bare.begin + option, bare.end};
  if (value.is_empty())
    next_ = Next::marked_login;
  else if (is_login(value, true))
    hidden.add({value.begin, word.end});
  else
    return false;
  return true;
}

bool CommandLine::is_hidden_by_an_option(TextPart word, TextPart bare, HiddenParts& hidden) {
  if (bare.is_empty())
    return false;
  if (is_logging_in_ && is_in("-p|-P|-w|-k", bare))
    next_ = Next::secret;
  if (program_ == nullptr || (!is_option(bare) && *bare.begin != '/'))
    return false;
  const char* const flags = program_->flags;
  const size_t joined = option_in(program_->joined, flags, bare);
  if (joined != 0 && joined < bare.size())
    return is_hidden_behind_an_option(joined, word, bare, hidden);
  if (const size_t login = option_in(program_->logins, flags, bare); login != 0)
    return is_hidden_as_a_login(login, word, bare, hidden);
  if (option_in(program_->next, flags, bare) == bare.size())
    next_ = Next::secret;
  for (const char* at = program_->after; *at == '-' && at[1] != 0; at += 2)
    hides_operands_ |= !bare.starts_with("--") && bare.has(at[1]);
  return false;
}

namespace {

/// True for a word that is a secret as a whole; hides the end of an address that holds one.
bool is_secret_as_a_whole(TextPart word, HiddenParts& hidden) {
  if (holds_a_login(word) || has_token(word)) {
    hidden.add(word);
    return true;
  }
  if (const char* begin = secret_path_in(word))
    hidden.add({begin, word.end});
  return false;
}

/// `user=name:password`.
bool is_secret_as_a_login(TextPart word, TextPart bare, HiddenParts& hidden) {
  const TextPart name = name_in(bare);
  if (name.end == bare.end || *name.end != '=' || !names_a_user(name))
    return false;
  const TextPart value{name.end + 1, bare.end};
  if (!is_login(value, false))
    return false;
  hidden.add({value.begin, word.end});
  return true;
}

} // namespace

CommandLine::Found CommandLine::find_value(const char* begin, TextPart word, TextPart bare,
                                           HiddenParts& hidden) {
  if (begin[-1] == ':' && begin == bare.end)
    next_ = Next::secret;
  if (is_too_plain_for_a_secret({begin, bare.end > begin ? bare.end : begin}))
    return Found::nothing;
  hidden.add({begin, word.end});
  return Found::secret;
}

CommandLine::Found CommandLine::find_by_shape(TextPart word, TextPart bare, const Place& place,
                                              HiddenParts& hidden) {
  const bool is_one_word = !has_blank(word) || place.depth == deepest;
  if (is_one_word && is_secret_as_a_whole(word, hidden))
    return Found::secret;
  // In a command each word is looked at by itself.
  const bool is_line = has_blank(word) && place.depth == 0;
  if (const char* const begin = is_line ? nullptr : secret_value_in(word))
    return find_value(begin, word, bare, hidden);
  if (is_secret_as_a_login(word, bare, hidden))
    return Found::secret;
  return !is_line && speaks(bare) ? Found::name : Found::nothing;
}

void CommandLine::expect_behind_option(TextPart option, bool is_secret) {
  const bool is_whole = name_in(option).size() == option.size();
  const bool is_of_known_meaning = is_shell_ && option.is("--login");
  const bool is_of_a_key = is_about_keys_ && (option.is("-k") || option.is("--body"));
  if (is_whole && !is_of_known_meaning && (is_secret || is_of_a_key)) {
    next_ = Next::secret;
  } else if (next_ == Next::anything && names_a_user(option)) {
    next_ = Next::login;
  } else if (is_shell_ && !option.starts_with("--") && option.has('c')) {
    next_ = Next::command;
    is_shell_ = false;
  }
}

/// Whether the next word is the value of what the operand names.
bool CommandLine::names_its_value(TextPart operand) const {
  const bool has_values = is_configuring_ || (program_ != nullptr && program_->names_then_values);
  return has_values && !is_in("login|auth|secret|secrets", operand) && operand.end[-1] != '=' &&
         !operand.has("://");
}

void CommandLine::expect(TextPart bare) {
  const TextPart name = name_in(bare);
  const bool is_secret = speaks(bare) || (is_option(bare) && ends_in_key(bare.begin, bare.size()));
  if (is_option(bare))
    expect_behind_option(bare, is_secret);
  else if (is_secret && names_its_value(bare))
    next_ = Next::value;
  is_about_keys_ |= is_secret || ends_in_key(name.begin, name.size());
  is_logging_in_ |= bare.is("login") || bare.is("users");
  is_configuring_ |= is_word_of_configuring(bare);
}

void CommandLine::begin_program(TextPart bare) {
  if (is_option(bare)) { // sbatch --wrap="mysql …"
    const TextPart option = name_in(bare);
    if (option.end == bare.end || *option.end != '=')
      return;
    bare = without_marks({option.end + 1, bare.end});
  }
  const TextPart file = file_name_of(bare);
  if (file.is_empty() || file.has('.'))
    return; // mysql.sql
  const NameText name(file);
  if (is_shell(name.c_str()) || is_one_of(name.c_str(), "su|runuser|script|sg", false)) {
    program_ = nullptr;
    is_shell_ = true;
  }
  for (uint64_t bits = programs_by_letter.of[static_cast<unsigned char>(*file.begin) % 32];
       bits != 0; bits &= bits - 1) {
    const SecretProgram& program = programs[__builtin_ctzll(bits)];
    if (!is_one_of(name.c_str(), program.names, false))
      continue;
    program_ = &program;
    hides_operands_ = *program.after == '*';
    is_about_keys_ = is_logging_in_ = is_configuring_ = false;
    return;
  }
}

bool CommandLine::is_hidden_as_an_operand(TextPart word, TextPart bare, const Place& place,
                                          HiddenParts& hidden) {
  if (program_ == nullptr || is_option(bare) || bare.is_empty())
    return false;
  const bool is_read_as_one =
      program_->echoes && !place.rest.is_empty() && reads_a_secret(place.rest);
  if ((hides_operands_ || is_read_as_one) && !is_too_plain_for_a_secret(bare)) {
    hidden.add(word);
    return true;
  }
  if (*program_->after != '-' && is_in(program_->after, bare))
    hides_operands_ = true;
  if (program_->ends_at_operand)
    program_ = nullptr;
  return false;
}

bool CommandLine::read_within(TextPart word, TextPart bare, const Place& place,
                              HiddenParts& hidden) {
  if (!has_blank(word))
    return false;
  if (place.depth == deepest) {
    hidden.add(word);
    return true;
  }
  const bool is_command = program_ != nullptr && program_->runs_text;
  const bool is_quoted =
      is_quote(*word.begin) && end_of_quote(word.begin, word.end) == word.end - 1;
  if (place.depth == 0 || is_quoted) {
    read_line(place.depth == 0 ? word : TextPart{word.begin + 1, word.end - 1}, place.depth + 1,
              is_command, hidden);
    return true;
  }
  for (const char* at = word.begin; at < word.end; ++at) {
    const char* const end = is_quote(*at) ? end_of_quote(at, word.end) : nullptr;
    if (end == nullptr)
      continue;
    if (has_blank({at + 1, end}))
      read_line({at + 1, end}, place.depth + 1, is_command, hidden);
    at = end;
  }
  return !bare.is_empty();
}

CommandLine::Found CommandLine::read_word(TextPart word, const Place& place, HiddenParts& hidden) {
  const TextPart bare = without_marks(word);
  const Next next = next_;
  next_ = Next::anything;
  if (is_hidden_by_the_word_before(next, word, bare, place, hidden))
    return Found::secret;
  if (bare.is_empty())
    return Found::nothing;
  if (is_hidden_by_an_option(word, bare, hidden))
    return Found::secret;
  const Found shape = find_by_shape(word, bare, place, hidden);
  if (shape == Found::secret)
    return shape;
  const SecretProgram* const before = program_;
  if (!has_blank(bare) && !hides_operands_)
    begin_program(bare);
  if (program_ == before && is_hidden_as_an_operand(word, bare, place, hidden))
    return Found::secret;
  if (!read_within(word, bare, place, hidden))
    expect(bare);
  return shape;
}

void CommandLine::read_line(TextPart text, int depth, bool is_command, HiddenParts& hidden) {
  read_words(text, depth, is_command, hidden);
  if (depth > 1)
    return; // what stands around it was looked at as a whole
  read_lists(text, hidden);
  if (hides_what_was_given_before(text, hidden))
    hidden.add(text);
}

void CommandLine::read_lists(TextPart text, HiddenParts& hidden) {
  CommandLine line;
  const char* end_of_word_before = text.begin;
  for (const char* at = text.begin; at < text.end; ++at) {
    const char* const end = is_quote(*at) ? end_of_quote(at, text.end) : nullptr;
    if (end == nullptr)
      continue;
    if (!separates_words_of_a_list({end_of_word_before, at}))
      line = {};
    const TextPart word{at + 1, end};
    if (!has_blank(word))
      line.read_word(word, {1, true, {}}, hidden);
    end_of_word_before = end + 1;
    at = end;
  }
}

namespace {

bool ends_a_word(char c) { return is_blank(c) || ends_a_command(c) || c == '<' || c == '>'; }

const char* end_of_word(const char* at, const char* end) {
  while (at < end && !ends_a_word(*at)) {
    const bool is_escaped = *at == '\\' && at + 1 < end;
    if (is_escaped)
      ++at;
    else if (is_quote(*at))
      if (const char* const quote = end_of_quote(at, end))
        at = quote;
    ++at;
  }
  return at;
}

} // namespace

void CommandLine::read_words(TextPart text, int depth, bool is_command, HiddenParts& hidden) {
  CommandLine line;
  for (TextPart rest = text; rest.begin < rest.end;) {
    if (ends_a_command(*rest.begin))
      line = {};
    if (rest.starts_with("<<<") && reads_a_secret(text))
      line.next_ = Next::secret;
    if (ends_a_word(*rest.begin)) {
      ++rest.begin;
      continue;
    }
    const TextPart word{rest.begin, end_of_word(rest.begin, rest.end)};
    rest.begin = word.end;
    const Found secret = line.read_word(word, {depth, is_command, rest}, hidden);
    // What is no command may go on with it: "the password is …", "token = …".
    if (is_command || secret == Found::nothing)
      continue;
    hidden.add(rest);
    return;
  }
}

} // namespace detshim
