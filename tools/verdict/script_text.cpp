#include "verdict/script_text.h"

#include "verdict/script_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace detshim {
namespace {

/// Arguments by which Octave's rand() is seeded, in quotes.
constexpr auto octave_seeds = std::to_array<std::string_view>({"seed", "state", "twister"});

constexpr auto clocks = std::to_array<std::string_view>({"time",
                                                         "time_ns",
                                                         "now",
                                                         "utcnow",
                                                         "clock",
                                                         "clock_gettime",
                                                         "gettimeofday",
                                                         "hrtime",
                                                         "microtime",
                                                         "systime",
                                                         "nanotime",
                                                         "monotonic",
                                                         "monotonic_ns",
                                                         "perf_counter",
                                                         "perf_counter_ns",
                                                         "process_time",
                                                         "cputime",
                                                         "times",
                                                         "get_time",
                                                         "date",
                                                         "localtime",
                                                         "gmtime",
                                                         "uptime",
                                                         "getpid",
                                                         "getppid",
                                                         "pid",
                                                         "ppid",
                                                         "process_id",
                                                         "bashpid",
                                                         "epochseconds",
                                                         "epochrealtime",
                                                         "current_process_id",
                                                         "today",
                                                         "timestamp",
                                                         "process_time_ns",
                                                         "thread_time",
                                                         "thread_time_ns",
                                                         "uuid1",
                                                         "getpgid",
                                                         "get_ident",
                                                         "gettid",
                                                         "get_native_id",
                                                         "clock_gettime_ns"});

/// Engines of C++'s library and of others, which are made of a seed: `std::mt19937 engine(seed)`.
constexpr auto cxx_engines = std::to_array<std::string_view>(
    {"mt19937", "mt19937_64", "minstd_rand", "minstd_rand0", "default_random_engine", "ranlux24",
     "ranlux24_base", "ranlux48", "ranlux48_base", "knuth_b", "seed_seq", "pcg32", "pcg64", "sfmt19937",
     "rng"});

/// Functions whose seeds detshim replaces where they come from a clock.
constexpr auto replaced_seeders = std::to_array<std::string_view>(
    {"srand", "srandom", "srand48", "srandom_r", "srand48_r", "seed48", "manual_seed"});

/// Words before a name that is given a value.
constexpr auto declarations = std::to_array<std::string_view>(
    {"my", "our", "local", "let", "var", "const", "export", "readonly", "set"});

/// In any language but Python: whether the word is handed a seed by what stands behind it. `before`: the
/// word in front of it, empty if there is none.
bool is_seeder(const Word& word, std::string_view before, const Language& language) {
  if (word.is_quoted) // Octave's rand("seed", …)
    return language.program == "octave" && holds(octave_seeds, word.text) && before.starts_with("rand");
  if (names_seed(word))
    return !language.has_parentheses || std::string_view("(=!").find(word.next) != std::string_view::npos;
  return word.text == "new" && before == "random"; // Ruby's Random.new(…)
}

/// Whether text holds `$$`, the process's id of shells, Perl and Ruby.
bool holds_process_id(std::string_view text, const Language& language) {
  if (language.has_parentheses) return false;
  for (std::size_t i = text.find("$$"); i != std::string_view::npos; i = text.find("$$", i + 2))
    if (!is_letter(at(text, i + 2)) && at(text, i + 2) != '{') return true;
  return false;
}

/// Whether text reads a clock or an id, or has one of the names.
bool has_clock(std::string_view text, const Language& language, const std::set<std::string>& names) {
  if (holds_process_id(text, language)) return true;
  return std::ranges::any_of(words_of(text, language.is_shell), [&](const Word& word) {
    return (!word.is_quoted && names.contains(word.text)) || reads_clock(word, language);
  });
}

/// What a shell hands over behind a name: `$(date +%s)` of `--seed "$(date +%s)" --epochs 3`.
std::string_view shell_value(std::string_view text) {
  const std::size_t start = text.find_first_not_of("= \t\"'");
  if (start == std::string_view::npos || (text[start] != '$' && text[start] != '`')) return {};
  int depth = 0;
  bool is_backquoted = text[start] == '`';
  std::size_t end = start + (is_backquoted ? 1 : 0);
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '`') is_backquoted = false;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth <= 0 && !is_backquoted && std::isspace(static_cast<unsigned char>(c)) != 0) break;
  }
  return text.substr(start, end - start);
}

bool seeds_from(const Statement& statement, const Language& language, const std::set<std::string>& names) {
  std::string before;
  for (const Word& word : words_of(statement.text, language.is_shell)) {
    std::string_view rest = arguments_of(std::string_view(statement.text).substr(word.end));
    bool takes = is_seeder(word, std::exchange(before, word.text), language);
    if (language.is_shell) {
      takes = names_seed(word) || (word.text == "random" && word.next == '=');
      rest = shell_value(rest);
    }
    if (takes && has_clock(rest, language, names)) return true;
  }
  return false;
}

/// "started" of `started = time.time()`; empty if the statement gives nothing a name.
std::string named_by(std::string_view statement) {
  const std::vector<Word> words = words_of(statement);
  const auto name =
      std::ranges::find_if(words, [](const Word& word) { return !holds(declarations, word.text); });
  const bool is_given = name != words.end() && !name->is_quoted && name->next == '=' && name->after != '=';
  return is_given ? name->text : std::string();
}

/// Adds the names to which a statement gives a clock, an id, or what has one of the names.
void add_given(const Statement& statement, const Language& language, std::set<std::string>& names) {
  const std::vector<Word> words = words_of(statement.text, language.is_shell);
  const auto is_clock_behind = [&](std::size_t start) {
    return has_clock(std::string_view(statement.text).substr(start), language, names);
  };
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i].text == "get_time") names.insert(words[i + 1].text); // Prolog: get_time(T), N is T * 1000
    if (words[i + 1].text == "is" && is_clock_behind(words[i + 1].end)) names.insert(words[i].text);
  }
  if (std::string name = named_by(statement.text); !name.empty() && is_clock_behind(statement.text.find('=')))
    names.insert(std::move(name));
}

char last_letter(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos ? text[last] : '\0';
}

bool is_cxx_seeder(const Word& word) {
  if (word.is_quoted || holds(cxx_engines, word.text)) return !word.is_quoted;
  const bool is_called = (word.next == '(' && word.after != ')') || word.next == '{';
  const bool is_replaced = holds(replaced_seeders, word.text) || word.text.starts_with("curand");
  return is_called && names_seed(word) && !is_replaced;
}

/// "now" of `const auto now = clock::now()`.
std::string cxx_named_by(const std::vector<Word>& words) {
  const auto name = std::ranges::find_if(
      words, [](const Word& word) { return !word.is_quoted && word.next == '=' && word.after != '='; });
  return name != words.end() ? name->text : std::string();
}

bool names_any(const std::vector<Word>& words, const std::set<std::string>& names) {
  return std::ranges::any_of(words, [&](const Word& word) {
    return !word.is_quoted && word.next != '=' && names.contains(word.text);
  });
}

} // namespace

bool Statement::holds(std::size_t number) const {
  return line <= number && number <= line + static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string text_of_file(const std::string& file) {
  constexpr std::size_t most = 4 << 20;
  std::ifstream in(file, std::ios::binary);
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::vector<Statement> statements_of(std::string_view text, const Language& language) {
  constexpr std::size_t most = 100'000, longest = 4096;
  std::vector<Statement> statements;
  Statement now;
  std::size_t line = 1;
  int depth = 0;
  char quote = '\0';
  const bool is_python = language.program == "python"; // its braces hold values, others' hold statements
  const auto close = [&] {
    if (now.text.find_first_not_of(" \t\n") != std::string::npos) statements.push_back(std::move(now));
    now = {};
    depth = 0;
    quote = '\0';
  };
  for (std::size_t i = 0; i < text.size() && statements.size() < most; ++i) {
    const char c = text[i];
    const bool begins_word = i == 0 || !is_letter(text[i - 1]);
    if (quote == '\0' && text.substr(i).starts_with(language.comment) && (i == 0 || text[i - 1] != '$') &&
        !(language.is_shell && !begins_word)) {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    }
    if (c == '\n') ++line;
    const bool is_outside = depth <= 0 && quote == '\0';
    const bool is_line = !language.is_cxx || now.text.starts_with('#');
    const bool ends_line = c == '\n' && is_line && (depth <= 0 || now.text.size() > longest);
    const bool ends_head = c == '{' && language.is_cxx && is_outside && last_letter(now.text) == ')';
    if (ends_line || ends_head || (c == ';' && is_outside)) {
      close();
      continue;
    }
    if (now.text.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    // An apostrophe in a word is none that opens: Perl's and Tcl's texts have them, and comments of others.
    if (quote == c && (i == 0 || text[i - 1] != '\\'))
      quote = '\0';
    else if (quote == '\0' && (c == '"' || (c == '\'' && begins_word)))
      quote = c;
    else if (quote == '\0' && (c == '(' || c == '[' || (c == '{' && is_python)))
      ++depth;
    else if (quote == '\0' && (c == ')' || c == ']' || (c == '}' && is_python)))
      --depth;
    if (now.text.empty()) now.line = line;
    now.text += c;
  }
  close();
  return statements;
}

bool reads_clock(const Word& word, const Language& language) {
  if (!holds(clocks, word.text)) return false;
  if (word.is_quoted) return word.text == "pid"; // gawk's PROCINFO["pid"]
  if (word.before == '@' || (word.before == '$' && !language.is_shell)) return false; // a variable
  return !language.has_parentheses || word.next == '(';
}

bool reads_clock(std::string_view statement, const Language& language) {
  return has_clock(statement, language, {});
}

const Statement* cxx_seed_of(const std::vector<Statement>& statements, const Statement& reading) {
  const auto takes = [](const std::vector<Word>& words) { return std::ranges::any_of(words, is_cxx_seeder); };
  if (takes(words_of(reading.text))) return &reading;
  std::set<std::string> names = {cxx_named_by(words_of(reading.text))};
  if (names.contains("")) return nullptr;
  constexpr int steps = 2; // now = clock::now(); seed = now.time_since_epoch().count()
  for (int step = 0; step < steps; ++step)
    for (const Statement& statement : statements) {
      const std::vector<Word> words = words_of(statement.text);
      if (std::string name = cxx_named_by(words); !name.empty() && names_any(words, names))
        names.insert(name);
    }
  const auto found = std::ranges::find_if(statements, [&](const Statement& statement) {
    const std::vector<Word> words = words_of(statement.text);
    return takes(words) && names_any(words, names);
  });
  return found != statements.end() ? &*found : nullptr;
}

std::vector<Statement> seeded_from_clock(const std::vector<Statement>& statements, const Language& language) {
  std::set<std::string> names;
  constexpr int steps = 2; // started = time.time(); number = int(started)
  for (int step = 0; step < steps; ++step)
    for (const Statement& statement : statements) add_given(statement, language, names);
  std::vector<Statement> found;
  std::ranges::copy_if(statements, std::back_inserter(found),
                       [&](const Statement& statement) { return seeds_from(statement, language, names); });
  return found;
}

} // namespace detshim
