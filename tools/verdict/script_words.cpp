#include "verdict/script_words.h"

#include <algorithm>
#include <cctype>

namespace detshim {

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

std::vector<Word> words_of(std::string_view text, bool looks_into_quotes) {
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

bool names_seed(const Word& word) {
  return word.text.find("seed") != std::string::npos || word.text.starts_with("srand") ||
         word.text.ends_with("_srand");
}

} // namespace detshim
