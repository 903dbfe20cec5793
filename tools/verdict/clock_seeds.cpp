#include "verdict/clock_seeds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

namespace detshim {
namespace {

/// Functions that take a seed and are not called after it: Python's, NumPy's, JAX's, Keras's.
constexpr auto generators = std::to_array<std::string_view>(
    {"random", "randomstate", "default_rng", "prngkey", "generator", "mt19937", "pcg64", "philox", "sfc64"});

struct Word {
  std::string text; // in lower case
  std::size_t end;  // where it ends in the line
  char next;        // the first character behind it that is no blank
  char after;       // the one behind that
};

bool is_letter(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// The words of a line of Python, without texts in quotes and comments.
std::vector<Word> words_of(const std::string& line) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < line.size() && line[i] != '#';) {
    if (line[i] == '"' || line[i] == '\'') {
      i = std::min(line.find(line[i], i + 1), line.size() - 1) + 1;
      continue;
    }
    if (!is_letter(line[i])) {
      ++i;
      continue;
    }
    Word word{};
    for (; i < line.size() && is_letter(line[i]); ++i)
      word.text += static_cast<char>(std::tolower(static_cast<unsigned char>(line[i])));
    word.end = i;
    const std::size_t next = line.find_first_not_of(" \t", i);
    word.next = next < line.size() ? line[next] : '\0';
    word.after = next + 1 < line.size() ? line[next + 1] : '\0';
    words.push_back(std::move(word));
  }
  return words;
}

bool is_called_seeder(const Word& word) {
  return word.next == '(' && (word.text.find("seed") != std::string::npos ||
                              std::ranges::find(generators, word.text) != generators.end());
}

bool is_seed_name(const Word& word) {
  return word.next == '=' && word.after != '=' &&
         (word.text.find("seed") != std::string::npos || word.text == "random_state");
}

/// "started" of `started = time.time()`; empty if the line gives nothing a name.
std::string named_by(const std::string& line) {
  const std::vector<Word> words = words_of(line);
  return !words.empty() && words[0].next == '=' && words[0].after != '=' ? words[0].text : std::string();
}

std::vector<std::string> lines_of(const std::string& file) {
  constexpr std::size_t most = 100'000;
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; lines.size() < most && std::getline(in, line);) lines.push_back(line);
  return lines;
}

void add_seed(const std::string& frame, std::vector<ClockSeed>& found) {
  const std::size_t blank = frame.rfind(' '); // "/home/me/train.py:12 main"
  const std::size_t colon = frame.rfind(':', blank);
  if (blank == std::string::npos || colon == std::string::npos) return;
  const std::string file = frame.substr(0, colon);
  const std::string number = frame.substr(colon + 1, blank - colon - 1);
  const std::vector<std::string> lines = lines_of(file);
  const std::size_t index = std::strtoul(number.c_str(), nullptr, 10);
  if (index == 0 || index > lines.size()) return;
  const std::string& line = lines[index - 1];
  if (takes_seed(line)) {
    found.push_back({file, number, line});
    return;
  }
  const std::string name = named_by(line);
  if (name.empty()) return;
  const auto taken =
      std::ranges::find_if(lines, [&](const std::string& other) { return takes_seed(other, name); });
  if (taken != lines.end()) found.push_back({file, std::to_string(taken - lines.begin() + 1), *taken});
}

} // namespace

bool takes_seed(const std::string& line, const std::string& variable) {
  const std::vector<Word> words = words_of(line);
  if (variable.empty())
    return std::ranges::any_of(words,
                               [](const Word& word) { return is_called_seeder(word) || is_seed_name(word); });
  const auto seeder = std::ranges::find_if(words, is_called_seeder);
  return seeder != words.end() &&
         std::any_of(seeder + 1, words.end(), [&](const Word& word) { return word.text == variable; });
}

std::vector<ClockSeed> find_clock_seeds(const Summary& summary) {
  constexpr auto readers =
      std::to_array<std::string_view>({"time", "gettimeofday", "clock_gettime", "getpid"});
  std::set<std::string> frames;
  for (const SymbolSummary& symbol : summary.symbols)
    if (symbol.library == "libc" && symbol.action == Action::observe &&
        std::ranges::find(readers, symbol.function) != readers.end())
      for (const CallPlace& place : symbol.places)
        if (place.python.user == 0 && !place.python.empty()) frames.insert(place.python.frames.front());
  std::vector<ClockSeed> found;
  for (const std::string& frame : frames) add_seed(frame, found);
  return found;
}

} // namespace detshim
