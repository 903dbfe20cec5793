#include "verdict/clock_flow.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <utility>

namespace detshim {
namespace {

constexpr Language python{.program = "python"};

/// Functions that take a seed and are not called after it: Python's, NumPy's, JAX's, Keras's.
constexpr auto generators = std::to_array<std::string_view>(
    {"random", "randomstate", "default_rng", "prngkey", "generator", "mt19937", "pcg64", "philox", "sfc64"});

/// Functions of which the result is a number or a text again.
constexpr auto conversions = std::to_array<std::string_view>(
    {"int",    "float",  "str",    "abs",    "round",      "hash",   "min",     "max",           "sum",
     "bytes",  "repr",   "list",   "tuple",  "pow",        "divmod", "format",  "int32",         "int64",
     "uint32", "uint64", "encode", "sorted", "datetime64", "array",  "asarray", "fromtimestamp", "datetime"});

/// Functions that give what is named by an argument another one: `config.setdefault("seed", …)`.
constexpr auto by_key = std::to_array<std::string_view>({"setdefault", "get", "getattr", "setattr", "pop"});

bool is_seed(const std::string& name) {
  return name == "random_state" || names_seed(word_at(name, 0, name.size()));
}

bool is_seeder(const std::string& function) { return is_seed(function) || holds(generators, function); }

/// A text of the same length in which quotes hold nothing but what an f-string computes, in parentheses.
std::string without_quotes(std::string_view text) {
  constexpr char blank = '\x01'; // no letter and no space: it neither makes words nor parts them
  std::string code(text);
  char quote = '\0';
  bool is_formatted = false;
  int depth = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    char& c = code[i];
    if (quote == '\0') {
      if (c != '"' && c != '\'') continue;
      quote = c;
      const char prefix = i > 0 ? code[i - 1] : '\0', before = i > 1 ? code[i - 2] : '\0';
      is_formatted = std::string_view("fF").find(prefix) != std::string_view::npos ||
                     (std::string_view("rR").find(prefix) != std::string_view::npos &&
                      std::string_view("fF").find(before) != std::string_view::npos);
      is_formatted &= prefix != '\0';
      depth = 0;
    } else if (c == quote && (depth == 0 || !is_formatted)) {
      quote = '\0';
    } else if (is_formatted && c == '{') {
      ++depth;
      c = '(';
    } else if (is_formatted && c == '}' && depth > 0) {
      --depth;
      c = ')';
    } else if (depth == 0 || !is_formatted) {
      c = blank;
    }
  }
  return code;
}

/// True if `=` at an offset gives a value, and compares nothing.
bool is_given_at(std::string_view code, std::size_t equals) {
  const char before = equals > 0 ? code[equals - 1] : '\0';
  return at(code, equals + 1) != '=' && std::string_view("=<>!:").find(before) == std::string_view::npos;
}

/// The name that stands before an offset, empty without one.
std::string name_before(std::string_view code, std::size_t end) {
  while (end > 0 && (code[end - 1] == ' ' || code[end - 1] == '\n' || code[end - 1] == '\t')) --end;
  std::size_t start = end;
  while (start > 0 && is_letter(code[start - 1])) --start;
  return word_at(code, start, end).text;
}

/// "seed" of `"--seed"`, `"seed"`, `"base-seed"`.
std::string name_in_quotes(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
  std::string name = word_at(text, 0, text.size()).text;
  std::ranges::replace(name, '-', '_');
  return std::ranges::all_of(name, [](char c) { return is_letter(c) || c == '.'; }) ? name : std::string();
}

/// What stands in quotes between two offsets of a statement.
std::vector<std::string> quoted_between(std::string_view statement, std::size_t begin, std::size_t end) {
  std::vector<std::string> found;
  while (begin < end) {
    const std::size_t open = statement.find_first_of("\"'", begin);
    if (open >= end) break;
    const std::size_t close = statement.find(statement[open], open + 1);
    if (close == statement.npos) break;
    found.emplace_back(statement.substr(open + 1, close - open - 1));
    begin = close + 1;
  }
  return found;
}

/// Calls visit(begin, end) for what commas part between two offsets, outside of brackets.
template <typename Visit>
void each_part(std::string_view code, std::size_t begin, std::size_t end, const Visit& visit) {
  int depth = 0;
  for (std::size_t i = begin; i <= end; ++i) {
    const char c = i < end ? code[i] : ',';
    if (std::string_view("([{").find(c) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(c) != std::string_view::npos) --depth;
    if (c != ',' || (depth > 0 && i < end)) continue;
    visit(begin, i);
    begin = i + 1;
  }
}

std::size_t first_outside(std::string_view code, char wanted, std::size_t begin, std::size_t end) {
  int depth = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (code[i] == wanted && depth == 0) return i;
    if (std::string_view("([{").find(code[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(code[i]) != std::string_view::npos) --depth;
  }
  return std::string_view::npos;
}

/// True for `if`, `def` and others behind which a statement may follow on the line.
bool is_head(std::string_view code, std::size_t begin) {
  constexpr auto keywords = std::to_array<std::string_view>(
      {"if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def", "class", "async"});
  std::size_t end = begin;
  while (end < code.size() && is_letter(code[end])) ++end;
  return holds(keywords, code.substr(begin, end - begin));
}

bool is_import(const Statement& statement) {
  return statement.text.starts_with("import ") || statement.text.starts_with("from ");
}

/// "train" of `def train(…):` and `async def train(…):`, or of `class Trainer:`; empty for others.
std::string defined_by(std::string_view code, std::string_view keyword) {
  if (code.starts_with("async ")) code.remove_prefix(6);
  if (!code.starts_with(keyword)) return {};
  code.remove_prefix(keyword.size());
  std::size_t end = 0;
  while (end < code.size() && is_letter(code[end])) ++end;
  return word_at(code, 0, end).text;
}

} // namespace

/// What holds a clock. `whole`: not what is read of it.
struct ClockFlow::Names {
  std::set<std::string> known, whole;
  std::deque<std::string> fresh;

  void add(const std::string& name, bool is_whole) {
    constexpr std::size_t most = 200; // by then everything holds everything
    if (name.empty() || name == "_" || name == "self" || known.contains(name) || known.size() >= most) return;
    known.insert(name);
    if (is_whole) whole.insert(name);
    fresh.push_back(name);
  }
};

/// The brackets around a place of a statement.
struct ClockFlow::Level {
  std::size_t open = std::string::npos; ///< none: the place is in no brackets
  std::size_t commas = 0;               ///< between them and the place
  std::string key;                      ///< `key=` or `"key":` before it
  std::string walrus;                   ///< `name :=` before it
};

ClockFlow::ClockFlow(std::vector<PythonText> texts) : texts_(std::move(texts)) {
  for (const PythonText& text : texts_) {
    std::string function, of_class;
    for (const Statement& statement : text.statements) {
      if (is_import(statement)) continue;
      Line line{&text, &statement, without_quotes(statement.text), {}, {}};
      line.words = words_of(line.code, true);
      std::ranges::copy_if(words_of(statement.text), std::back_inserter(line.words),
                           [](const Word& word) { return word.is_quoted; });
      if (std::string name = defined_by(line.code, "class "); !name.empty()) of_class = std::move(name);
      if (std::string name = defined_by(line.code, "def "); !name.empty()) {
        add_function(line, name, of_class);
        function = std::move(name);
      }
      line.function = function;
      for (const Word& word : line.words) {
        std::vector<std::size_t>& lines = lines_by_word_[word.text];
        if (lines.empty() || lines.back() != lines_.size()) lines.push_back(lines_.size());
      }
      lines_.push_back(std::move(line));
    }
  }
}

void ClockFlow::add_function(const Line& line, const std::string& name, const std::string& of_class) {
  const std::size_t open = line.code.find('(');
  if (open == line.code.npos) return;
  const std::size_t close = first_outside(line.code, ')', open + 1, line.code.size());
  if (close == line.code.npos) return;
  Parameters parameters;
  each_part(line.code, open + 1, close, [&](std::size_t begin, std::size_t end) {
    const std::vector<Word> words = words_of(std::string_view(line.code).substr(begin, end - begin), true);
    if (!words.empty()) parameters.push_back(words.front().text);
  });
  if (!parameters.empty() && (parameters[0] == "self" || parameters[0] == "cls"))
    parameters.erase(parameters.begin());
  functions_[name == "__init__" ? of_class : name].push_back(std::move(parameters));
}

/// Names by which a text calls clocks: "now" of `from time import time as now`.
std::set<std::string> ClockFlow::aliases_in(const PythonText& text) const {
  std::set<std::string> aliases;
  for (const Statement& statement : text.statements)
    for (const char* module : {"from time import ", "from datetime import ", "from os import "})
      if (statement.text.starts_with(module))
        for (std::size_t as = statement.text.find(" as "); as != std::string::npos;
             as = statement.text.find(" as ", as + 1)) {
          const std::size_t start = as + 4;
          const std::size_t end =
              std::min(statement.text.find_first_of(" ,)\n", start), statement.text.size());
          aliases.insert(word_at(statement.text, start, end).text);
        }
  return aliases;
}

ClockFlow::Level ClockFlow::level_around(const Line& line, std::size_t position) const {
  const std::string& code = line.code;
  Level level;
  std::size_t colon = std::string::npos;
  int depth = 0;
  for (std::size_t i = position; i-- > 0;) {
    const char c = code[i];
    if (std::string_view(")]}").find(c) != std::string_view::npos) ++depth;
    if (std::string_view("([{").find(c) != std::string_view::npos && depth-- == 0) {
      level.open = i;
      break;
    }
    if (depth != 0) continue;
    if (c == ',') ++level.commas;
    if (level.commas > 0) continue;
    if (c == '=' && at(code, i - 1) == ':')
      level.walrus = name_before(code, i - 1);
    else if (c == '=' && level.key.empty() && is_given_at(code, i))
      level.key = name_before(code, i);
    else if (c == ':' && at(code, i + 1) != '=')
      colon = i;
  }
  if (level.open == std::string::npos) {
    level.key.clear(); // an assignment
  } else if (code[level.open] == '{' && colon != std::string::npos) {
    const std::vector<std::string> quoted = quoted_between(line.statement->text, level.open, colon);
    level.key = quoted.empty() ? std::string() : name_in_quotes(quoted.back());
  }
  return level;
}

/// What a call makes of an argument. True if it is a seed.
bool ClockFlow::follow_call(const Line& line, const Level& level, bool& is_whole, Names& names) const {
  const std::string callee = name_before(line.code, level.open);
  if (callee.empty()) return false; // parentheses, a tuple
  if (is_seeder(callee)) return true;
  if (level.commas > 0 && holds(by_key, callee))
    for (const std::string& text : quoted_between(line.statement->text, level.open, line.code.size()))
      if (const std::string name = name_in_quotes(text); !name.empty() && is_seed(name)) return true;
  if (const auto known = functions_.find(callee); known != functions_.end())
    for (const Parameters& parameters : known->second) {
      if (level.commas >= parameters.size()) continue;
      if (is_seed(parameters[level.commas])) return true;
      names.add(parameters[level.commas], is_whole);
    }
  is_whole |= !holds(conversions, callee);
  return false;
}

/// Where a value at a word goes: outwards through brackets. True if it becomes a seed.
bool ClockFlow::follow(const Line& line, const Word& word, bool is_whole, Names& names) const {
  std::size_t position = word.start;
  bool is_part = false; // of something that holds other values too
  for (;;) {
    const Level level = level_around(line, position);
    names.add(level.walrus, is_whole);
    if (!level.walrus.empty() && is_seed(level.walrus)) return true;
    if (level.open == std::string::npos) break;
    if (!level.key.empty()) {
      if (is_seed(level.key)) return true;
      // add_argument("--seed", default=…)
      if (level.key == "default")
        for (const std::string& text : quoted_between(line.statement->text, level.open, position))
          if (const std::string name = name_in_quotes(text); !name.empty()) {
            if (is_seed(name)) return true;
            names.add(name, is_whole);
          }
      if (line.code[level.open] == '(' && is_seeder(name_before(line.code, level.open))) return true;
      names.add(level.key, is_whole);
      is_part = true;
    } else if (line.code[level.open] == '(' && !is_part && follow_call(line, level, is_whole, names)) {
      return true;
    }
    position = level.open;
  }
  return give(line, position, is_whole, is_part, names);
}

/// Names that a whole statement gives its value. True if one is a seed's.
bool ClockFlow::give(const Line& line, std::size_t position, bool is_whole, bool is_part,
                     Names& names) const {
  const std::string& code = line.code;
  bool is_seed_name = false;
  const auto add = [&](const std::string& name) {
    is_seed_name |= is_seed(name);
    if (!is_part) names.add(name, is_whole);
  };
  std::size_t begin = 0;
  for (std::size_t equals = first_outside(code, '=', 0, position); equals != std::string::npos;
       equals = first_outside(code, '=', equals + 1, position)) {
    if (!is_given_at(code, equals)) continue;
    each_part(code, begin, equals, [&](std::size_t from, std::size_t to) {
      const std::size_t colon = first_outside(code, ':', from, to); // of `name: type`, or of `if this:`
      const std::size_t end = colon == std::string::npos || is_head(code, from) ? to : colon;
      std::size_t last = code.find_last_not_of(" \t\n+-*/|&^%@", end - 1);
      if (last == std::string::npos || last < from) return;
      if (code[last] != ']') return add(name_before(code, last + 1));
      const std::size_t open = code.rfind('[', last);
      const std::vector<std::string> keys = quoted_between(line.statement->text, open, last);
      add(keys.empty() ? name_before(code, open) : name_in_quotes(keys.back()));
    });
    begin = equals + 1;
  }
  const auto has = [&](std::string_view keyword) {
    return std::ranges::any_of(line.words, [&](const Word& word) {
      return !word.is_quoted && word.text == keyword && word.start < position + 1;
    });
  };
  if (has("return") || has("yield")) add(line.function);
  if (code.starts_with("for ") && code.find(" in ") < position)
    for (const Word& word : words_of(std::string_view(code).substr(4, code.find(" in ") - 4), true))
      add(word.text);
  return is_seed_name;
}

bool ClockFlow::has(std::string_view file) const {
  return std::ranges::find(texts_, file, &PythonText::file) != texts_.end();
}

std::optional<ClockFlow::Seeding> ClockFlow::seeding_of(std::string_view file, std::size_t line) const {
  Names names;
  for (const Line& reading : lines_) {
    if (reading.text->file != file || !reading.statement->holds(line)) continue;
    const std::set<std::string> aliases = aliases_in(*reading.text);
    for (const Word& word : reading.words) {
      const bool is_clock = reads_clock(word, python) || (aliases.contains(word.text) && word.next == '(');
      if (is_clock && !word.is_quoted && follow(reading, word, false, names))
        return Seeding{reading.text->file, *reading.statement};
    }
  }
  while (!names.fresh.empty()) {
    const std::string name = std::move(names.fresh.front());
    names.fresh.pop_front();
    const bool is_whole = names.whole.contains(name);
    const auto lines = lines_by_word_.find(name);
    if (lines == lines_by_word_.end()) continue;
    for (const std::size_t index : lines->second) {
      const Line& use = lines_[index];
      for (const Word& word : use.words) {
        if (word.text != name) continue;
        const bool is_read_of = word.next == '.' || (word.next == '[' && !word.is_quoted);
        const bool is_given = !word.is_quoted && word.next == '=' && word.after != '=';
        if (is_given || (is_whole && is_read_of) || (word.is_quoted && at(use.code, word.end) != ']'))
          continue;
        if (follow(use, word, is_whole, names)) return Seeding{use.text->file, *use.statement};
      }
    }
  }
  return std::nullopt;
}

} // namespace detshim
