#include "verdict/script_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

namespace detshim {
namespace {

/// Functions that take a seed and are not called after it: Python's, NumPy's, JAX's, Keras's, Ruby's.
constexpr auto generators = std::to_array<std::string_view>(
    {"random", "randomstate", "default_rng", "prngkey", "generator", "mt19937", "pcg64", "philox", "sfc64"});

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

template <typename Words>
bool holds(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

struct Word {
  std::string text;       // in lower case
  std::size_t start;      // in the statement
  std::size_t end;        // behind it
  char before;            // the character before it
  char next;              // the first one behind it that is no blank
  char after;             // the one behind that
  bool is_quoted = false; // all of a text in quotes
};

bool is_letter(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

char at(std::string_view text, std::size_t index) { return index < text.size() ? text[index] : '\0'; }

Word word_at(std::string_view text, std::size_t start, std::size_t end) {
  Word word{};
  for (const char c : text.substr(start, end - start))
    word.text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  word.start = start;
  word.end = end;
  word.before = start > 0 ? text[start - 1] : '\0';
  const std::size_t next = std::min(text.find_first_not_of(" \t\n", end), text.size());
  word.next = at(text, next);
  word.after = at(text, next + 1);
  return word;
}

/// The words of a statement; of texts in quotes those that are one word.
std::vector<Word> words_of(std::string_view text, bool looks_into_quotes = false) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size();) {
    if ((text[i] == '"' || text[i] == '\'') && !looks_into_quotes) {
      const std::size_t close = std::min(text.find(text[i], i + 1), text.size() - 1);
      const std::string_view quoted = close > i ? text.substr(i + 1, close - i - 1) : std::string_view();
      if (!quoted.empty() && std::ranges::all_of(quoted, is_letter)) {
        words.push_back(word_at(text, i + 1, close));
        words.back().end = close + 1;
        words.back().is_quoted = true;
      }
      i = close + 1;
      continue;
    }
    if (!is_letter(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    words.push_back(word_at(text, i, end));
    i = end;
  }
  return words;
}

bool names_seed(const Word& word) {
  return word.text.find("seed") != std::string::npos || word.text.starts_with("srand") ||
         word.text.ends_with("_srand");
}

bool is_called_seeder(const Word& word) {
  const bool is_called = word.next == '(' && word.after != ')';
  return !word.is_quoted && is_called && (names_seed(word) || holds(generators, word.text));
}

bool is_seed_name(const Word& word) {
  return !word.is_quoted && word.next == '=' && word.after != '=' &&
         (names_seed(word) || word.text == "random_state");
}

/// In any language but Python: whether the word is handed a seed by what stands behind it. `before`: the
/// word in front of it, empty if there is none.
bool is_seeder(const Word& word, std::string_view before, const Language& language) {
  if (word.is_quoted) // Octave's rand("seed", …)
    return language.program == "octave" && holds(octave_seeds, word.text) && before.starts_with("rand");
  if (names_seed(word))
    return !language.has_parentheses || std::string_view("(=!").find(word.next) != std::string_view::npos;
  return word.text == "new" && before == "random"; // Ruby's Random.new(…)
}

bool is_clock(const Word& word, const Language& language) {
  if (!holds(clocks, word.text)) return false;
  if (word.is_quoted) return word.text == "pid"; // gawk's PROCINFO["pid"]
  if (word.before == '@' || (word.before == '$' && !language.is_shell)) return false; // a variable
  return !language.has_parentheses || word.next == '(';
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
    return (!word.is_quoted && names.contains(word.text)) || is_clock(word, language);
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

/// What a function is handed: all behind its name, or what the parentheses behind it hold.
std::string_view arguments_of(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\n");
  if (start == std::string_view::npos || text[start] != '(') return text;
  int depth = 0;
  for (std::size_t end = start; end < text.size(); ++end) {
    if (text[end] == '(') ++depth;
    if (text[end] == ')' && --depth == 0) return text.substr(0, end);
  }
  return text;
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

/// What stands before the next comma or closing bracket that belongs to no bracket within.
std::string_view value_of(std::string_view text) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t end = 0; end < text.size(); ++end) {
    const char c = text[end];
    if (quote != '\0' || c == '"' || c == '\'') {
      if (quote == '\0')
        quote = c;
      else if (quote == c)
        quote = '\0';
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    const bool closes = c == ')' || c == ']' || c == '}';
    if ((closes && --depth < 0) || (c == ',' && depth == 0)) return text.substr(0, end);
  }
  return text;
}

/// The value that a text in quotes is given at `end`: of `"seed": 1`, `cfg["seed"] = 1`, and of
/// `"--seed", type=int, default=1`. Empty if it names none.
std::string_view value_of_quoted(std::string_view text, std::size_t end, bool is_option) {
  const std::string_view rest = text.substr(end);
  const std::size_t next = rest.find_first_not_of(" \t\n");
  if (next == std::string_view::npos) return {};
  if (is_option) {
    const std::string_view given = arguments_of(rest);
    const std::size_t at_default = given.find("default=");
    return at_default != std::string_view::npos ? value_of(given.substr(at_default + 8)) : std::string_view();
  }
  if (rest[next] == ':') return value_of(rest.substr(next + 1));
  if (rest[next] != ']') return {};
  const std::size_t equals = rest.find_first_not_of(" \t", next + 1);
  const bool is_given = at(rest, equals) == '=' && at(rest, equals + 1) != '=';
  return is_given ? value_of(rest.substr(equals + 1)) : std::string_view();
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

bool takes_seed(std::string_view statement, std::string_view variable) {
  const std::vector<Word> words = words_of(statement);
  if (variable.empty())
    return std::ranges::any_of(words,
                               [](const Word& word) { return is_called_seeder(word) || is_seed_name(word); });
  const auto seeder = std::ranges::find_if(words, is_called_seeder);
  return seeder != words.end() && std::any_of(seeder + 1, words.end(), [&](const Word& word) {
           return !word.is_quoted && word.text == variable;
         });
}

bool reads_clock(std::string_view statement, const Language& language, const std::set<std::string>& aliases) {
  std::set<std::string> names; // words are in lower case
  for (std::string alias : aliases) {
    std::ranges::transform(alias, alias.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    names.insert(std::move(alias));
  }
  return has_clock(statement, language, names);
}

bool names_seed_of_clock(std::string_view statement, const Language& language,
                         const std::set<std::string>& aliases) {
  if (const std::vector<Word> words = words_of(statement); !words.empty() && words[0].start == 0 &&
                                                           words[0].next == ':' && names_seed(words[0]) &&
                                                           !words[0].is_quoted)
    return reads_clock(statement, language, aliases); // seed: int = …
  for (std::size_t i = statement.find_first_of("\"'"); i < statement.size();
       i = statement.find_first_of("\"'", i + 1)) {
    const std::size_t close = statement.find(statement[i], i + 1);
    if (close == std::string_view::npos) return false;
    std::string_view name = statement.substr(i + 1, close - i - 1);
    const bool is_option = name.starts_with("-");
    name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
    const bool is_name =
        std::ranges::all_of(name, [](char c) { return is_letter(c) || c == '-' || c == '.'; });
    const Word word = word_at(name, 0, name.size());
    if (is_name && (names_seed(word) || word.text == "random_state") &&
        reads_clock(value_of_quoted(statement, close + 1, is_option), language, aliases))
      return true;
    i = close;
  }
  return false;
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

std::string named_by(std::string_view statement) {
  const std::vector<Word> words = words_of(statement);
  const auto name =
      std::ranges::find_if(words, [](const Word& word) { return !holds(declarations, word.text); });
  const bool is_given = name != words.end() && !name->is_quoted && name->next == '=' && name->after != '=';
  return is_given ? name->text : std::string();
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
