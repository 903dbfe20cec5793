// The words of a script's statement, and what stands around them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

struct Word {
  std::string text;       ///< in lower case
  std::size_t start;      ///< in the statement
  std::size_t end;        ///< behind it
  char before;            ///< the character before it
  char next;              ///< the first one behind it that is no blank
  char after;             ///< the one behind that
  bool is_quoted = false; ///< all of a text in quotes
};

/// True if a list of words has one.
template <typename Words>
bool holds(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_letter(char c);

/// The character there, or a zero behind the end.
char at(std::string_view text, std::size_t index);

/// The word between two offsets.
Word word_at(std::string_view text, std::size_t start, std::size_t end);

/// The words of a statement; of texts in quotes those that are one word.
std::vector<Word> words_of(std::string_view text, bool looks_into_quotes = false);

/// What a function is handed: all behind its name, or what the parentheses behind it hold.
std::string_view arguments_of(std::string_view text);

/// "seed", "base_seed", "srand"
bool names_seed(const Word& word);

} // namespace detshim
